async () => {
  const canvas = Object.assign(document.createElement("canvas"), {width: 640, height: 360});
  const pen = canvas.getContext("2d");
  const recorder = new MediaRecorder(canvas.captureStream(15), {mimeType: "video/webm"});
  const parts = [];
  recorder.ondataavailable = ({data}) => parts.push(data);
  recorder.start();
  for (let step = 0; step < 20; step++) {
    pen.fillStyle = "#102030";
    pen.fillRect(0, 0, 640, 360);
    pen.strokeStyle = "#ffb060";
    pen.lineWidth = 6;
    for (let ring = 0; ring < 6; ring++) {
      pen.beginPath();
      pen.arc(320, 180, (ring * 40 + step * 8) % 240, 0, 7);
      pen.stroke();
    }
    await new Promise(done => setTimeout(done, 50));
  }
  const stopped = new Promise(done => recorder.onstop = done);
  recorder.stop();
  await stopped;
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
}
