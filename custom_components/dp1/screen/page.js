// The page of a screen: shows what Home Assistant says, and tells how that goes. For browsers from about 2018 on, those of
// televisions too, hence without newer syntax.
(function () {
  "use strict";
  var words = JSON.parse(document.body.getAttribute("data-words"));
  var SUFFIX = { img: /\.(avif|gif|jpe?g|png|svg|webp|bmp)$/i, video: /\.(mp4|m4v|mov|webm|ogv|m3u8)$/i, iframe: /\.html?$/i, model: /\.(glb|gltf)$/i };
  // Seconds until a work that does not load is tried again, and until one that does not answer has failed.
  var WAITS = [5, 15, 60], PATIENCE = 30, FINAL = { model: true, no_hls: true, home: true };
  // Seconds between two questions whether anybody is there, and until there is nobody.
  var BEAT = 4, SILENCE = 10, OPENING = 8;
  var state = {}, shown = null, pending = null, coming = null, leaving = null, current = null, tries = 0, wantsAgain = false;
  var touched = false, part = 0, sure = "", greeted = false, isNew = false, forgets = false, kept = null;
  var timers = {}, socket = null, opened = 0, asked = 0, beats = 0, lostAt = 0, lock = null, asking = false;

  function id(name) { return document.getElementById(name); }
  var stage = id("stage"), label = id("label"), note = id("note"), bar = id("bar");
  function later(name, seconds, what) {
    clearTimeout(timers[name]);
    timers[name] = seconds < 0 ? 0 : setTimeout(function () { timers[name] = 0; what(); }, seconds * 1000);
  }
  function send(message) {
    if (socket && socket.readyState === 1) socket.send(JSON.stringify(message));
  }
  function tell(more) {
    var message = { work: state.work, visible: !document.hidden, width: window.innerWidth, height: window.innerHeight };
    for (var key in more) message[key] = more[key];
    send(message);
  }
  // How the work goes is told with everything, as a new connection knows nothing of it.
  var told = { render: 0, error: "" };
  function tellRender(render, error) { told = { render: render, error: error || "" }; tell(told); }

  // Words over everything: title, code, and two lines.
  function say(title, code, first, second) {
    var lines = note.getElementsByTagName("p");
    note.className = title || first ? "on" + (code ? " pairing" : "") : "";
    note.getElementsByTagName("h1")[0].textContent = title || "";
    id("code").textContent = code || "";
    lines[0].textContent = first || "";
    lines[1].textContent = second || "";
    document.body.className = note.className || !state.work ? "" : "art";
  }
  function line(reason) {
    var both = state.title && state.title.split(" · "), title = shown && shown.ours ? both.length === 2 && both[part] : state.title;
    id("line").textContent = reason && words[reason] ? words[reason].replace("{title}", title || words.untitled) : "";
  }

  // A work: a box with its element. The kind is that of the address, else found by trying.
  function kinds(source) {
    var data = /^data:([a-z]+)\/?([^;,]*)/i.exec(source.url), kind, path = source.url.split(/[?#]/)[0];
    if (source.written) return ["iframe"];
    if (data) return [{ image: "img", video: "video", model: "model" }[data[1].toLowerCase()] || "iframe"];
    for (kind in SUFFIX) if (SUFFIX[kind].test(path)) return [kind];
    return ["img", "video", "iframe"];
  }
  function originOf(source) {
    var link = document.createElement("a");
    link.href = source.url;
    return source.own && link.hostname && link.hostname !== location.hostname ? link.protocol + "//" + link.host : null;
  }
  function load(source) {
    var work = { box: document.createElement("div"), key: source.key, url: source.url, origin: originOf(source), element: null, ready: false, failed: "", done: null };
    work.box.className = "work";
    work.frame = work.box.appendChild(document.createElement("div"));
    // A tap on what is ours is never for the page that shows it.
    if (source.ours) work.frame.style.pointerEvents = "none";
    work.ours = source.ours;
    stage.insertBefore(work.box, id("head"));
    work.patience = setTimeout(function () { settle(work, "not_loading"); }, PATIENCE * 1000);
    attempt(work, kinds(source));
    return work;
  }
  function settle(work, failed) {
    if (work.ready || work.failed) return;
    clearTimeout(work.patience);
    work.ready = !failed;
    work.failed = failed || "";
    if (work.done) work.done();
  }
  function attempt(work, rest) {
    var kind = rest[0], element;
    if (kind === "model") return settle(work, "model");
    element = work.element = document.createElement(kind);
    element.onerror = function () {
      if (work.ready) breaks(work); else if (rest.length > 1 && !work.failed) { work.frame.removeChild(element); attempt(work, rest.slice(1)); } else settle(work, "not_loading");
    };
    if (kind === "video") {
      if (/\.m3u8$/i.test(work.url.split(/[?#]/)[0]) && !element.canPlayType("application/vnd.apple.mpegurl")) return settle(work, "no_hls");
      element.muted = true;
      element.playsInline = true;
      element.onloadeddata = function () { settle(work, element.videoWidth ? "" : "not_loading"); };
      element.onplay = element.ontimeupdate = function () {
        if (work !== shown) return;
        clearTimeout(work.patience);
        work.patience = setTimeout(function () { if (!element.paused && !document.hidden) breaks(work); }, PATIENCE * 1000);
      };
      element.onended = function () { if (!element.loop && work === shown) tell({ ended: true }); };
    } else {
      element.onload = function () { if (trespasses(element)) expel(work); else settle(work); };
    }
    if (kind === "iframe") {
      // Its own origin, where that is nobody else's: what it stores, fetches and draws is its own.
      element.setAttribute("sandbox", work.origin ? "allow-scripts allow-same-origin" : "allow-scripts");
      element.setAttribute("allow", "");
      element.referrerPolicy = "no-referrer";
    }
    element.src = work.url;
    work.frame.appendChild(element);
  }
  // What was there can still go, as a host does in the middle of a film.
  function breaks(work) {
    work.failed = "not_loading";
    if (work === shown && !pending) fail(work);
  }
  function remove(work) {
    if (!work) return;
    clearTimeout(work.patience);
    work.failed = work.failed || "removed";
    work.done = null;
    if (work.element) {
      work.element.onload = work.element.onerror = work.element.onended = null;
      if (work.element.pause) { work.element.pause(); work.element.removeAttribute("src"); work.element.load(); }
    }
    if (work.box.parentNode) stage.removeChild(work.box);
  }

  // A frame that this page can read has come to be of its own origin, which is Home Assistant's: by a redirect, or by a name.
  function trespasses(element) {
    try { return element.tagName === "IFRAME" && !!element.contentDocument && element.contentDocument.URL !== "about:blank"; } catch (err) { return false; }
  }
  function expel(work) {
    var done = work.done;
    remove(work);
    work.failed = "home";
    work.ready = false;
    if (work === shown || work === pending) { shown = work === shown ? null : shown; fail(work); } else if (done) done();
  }
  setInterval(function () {
    [shown, pending, coming].forEach(function (work) { if (work && work.element && trespasses(work.element)) expel(work); });
  }, 200);

  function arrange() {
    var orientation = state.orientation || "", natural = window.innerHeight > window.innerWidth ? "portrait" : "landscape";
    var turned = orientation && /^portrait/.test(orientation) !== (natural === "portrait"), reverse = /Reverse$/.test(orientation);
    stage.style.width = (turned ? window.innerHeight : window.innerWidth) + "px";
    stage.style.height = (turned ? window.innerWidth : window.innerHeight) + "px";
    stage.style.transform = "translate(-50%, -50%) rotate(" + ((turned ? 90 : 0) + (reverse ? 180 : 0)) + "deg)";
  }
  function isPage(work) { return work.element.tagName === "IFRAME" && !work.ours; }
  function frame(work) {
    if (!work || !work.element) return;
    var settings = state.settings, margin = settings.margin || 0, is_page = isPage(work);
    work.box.style.padding = typeof margin === "number" ? margin + "px" : margin;
    work.box.style.background = settings.background || "#000";
    stage.className = is_page && work === shown && state.touch ? "edges" : "";
    if (is_page) return;
    work.element.style.objectFit = { fill: "cover", stretch: "fill" }[settings.scaling] || "contain";
    if (work.element.tagName === "IMG") live(work);
    if (work.element.tagName === "VIDEO") {
      work.element.loop = state.loop;
      work.element.volume = state.volume;
      work.element.muted = state.muted || !touched;
    }
  }
  // A still picture moves in its own bounds, once there and back in its time; beside wide bars it stands before itself, blurred.
  function live(work) {
    var picture = work.element, size = work.frame.style, share = 1, blurs;
    size.width = size.height = "";
    if (picture.style.objectFit === "contain") share = picture.naturalWidth * work.frame.clientHeight / (picture.naturalHeight * work.frame.clientWidth) || 1;
    blurs = (share < .7 || share > 1.4) && !state.settings.background && (state.backdrop === "all" || (state.backdrop !== "none" && work.url[0] === "/"));
    if (blurs && !work.back) work.back = work.box.insertBefore(blurred(picture), work.frame);
    if (work.back) work.back.hidden = !blurs;
    if (!state.motion) share = 1;
    size.width = Math.min(1, share) * 100 + "%";
    size.height = Math.min(1, 1 / share) * 100 + "%";
    work.pace = work.pace || (state.due || 120) / 2;
    picture.style.transformOrigin = work.key.charCodeAt(0) % 2 ? "10% 20%" : "90% 20%";
    picture.style.animation = state.motion ? "live " + work.pace + "s ease-in-out infinite alternate" : "";
  }
  // Drawn once, as a filter is drawn with each step of what moves before it.
  function blurred(picture) {
    var back = document.createElement("canvas"), pen = back.getContext("2d"), side = 8;
    back.className = "back";
    back.width = back.height = 256;
    pen.imageSmoothingQuality = "high";
    pen.drawImage(picture, 0, 0, 256, 256);
    pen.drawImage(back, 0, 0, 256, 256, 0, 0, side, side);
    for (; side < 256; side *= 2) pen.drawImage(back, 0, 0, side, side, 0, 0, 2 * side, 2 * side);
    pen.fillStyle = "rgba(0, 0, 0, .4)";
    pen.fillRect(0, 0, side, side);
    return back;
  }
  function caption(fresh) {
    var tombstone = state.settings.tombstone, by = [state.artist, state.year].filter(Boolean).join(", "), on;
    label.textContent = "";
    label.appendChild(document.createElement("b")).textContent = state.title;
    label.appendChild(document.createTextNode(by));
    on = shown && (tombstone === "on" || (tombstone === "timed" && (fresh || label.className === "on")));
    label.className = on && (state.title || by) ? "on" : "";
    if (fresh) later("label", tombstone === "timed" ? 10 : -1, function () { label.className = ""; });
    if (state.qr) id("qr").src = state.qr;
    id("qr").className = state.qr && shown ? "on" : "";
    id("favorite").className = tapped("favorite") ? "on" : "";
  }

  // Over the art: what Home Assistant says, or the time, which goes on without it.
  function write() {
    var now = new Date(), is_time = state.corner && state.text === null;
    id(state.corner || "top_right").appendChild(id("hour")).textContent = is_time ? now.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" }) : state.corner ? state.text : "";
    later("hour", is_time ? 60 - now.getSeconds() : -1, write);
  }
  function tapped(tap) { return !!state.tapped && state.tapped.tap === tap && state.tapped.work === state.work && state.tapped.part === part; }

  // The work that is due: from what was loaded before, if that was not in vain.
  function begin() {
    var ready = coming;
    later("retry", -1);
    tries = 0;
    wantsAgain = false;
    part = 0;
    remove(pending);
    pending = coming = null;
    unsure();
    if (ready && (ready.failed || ready.key !== state.show.key)) { remove(ready); ready = null; }
    start(ready);
  }
  function start(ready) {
    var origin = originOf(state.show), work;
    // Two frames of one origin could write into each other.
    if (!ready && origin) [shown, leaving].forEach(function (other) {
      if (other && other.origin === origin) { remove(other); if (other === shown) shown = null; }
    });
    work = pending = ready || load(state.show);
    tellRender(1);
    work.done = function () {
      if (pending !== work) return;
      if (work.failed) fail(work); else appear(work);
    };
    if (work.ready || work.failed) work.done();
  }
  function appear(work) {
    var before = shown, hints = isNew && state.touch && isPage(work), played;
    pending = null;
    shown = work;
    frame(work);
    work.box.className = "work on";
    if (work.element.play) {
      played = work.element.play();
      if (played && played.catch) played.catch(function () { work.element.muted = true; work.element.play().catch(function () {}); });
    }
    remove(leaving);
    leaving = before;
    later("leave", 0.9, function () { remove(before); if (leaving === before) leaving = null; });
    line(hints ? "edge" : "");
    if (hints) { isNew = false; later("hint", 3, function () { line(""); }); }
    tellRender(2);
    caption(true);
    preload();
  }
  function fail(work) {
    var reason = work.failed;
    [work, shown, leaving].forEach(remove);
    shown = pending = leaving = null;
    line(reason);
    label.className = stage.className = id("qr").className = "";
    tellRender(3, reason);
    if (FINAL[reason] || tries >= WAITS.length) later("retry", FINAL[reason] ? 8 : 0, function () {
      tell({ failed: true });
      if (!FINAL[reason]) later("retry", 300, again);
    });
    else later("retry", WAITS[tries++], again);
  }
  function again() {
    if (!state.show || pending) return;
    // A page that holds once has to be asked for.
    if (state.show.written) { wantsAgain = true; tell({ again: true }); } else start(null);
  }
  // The next work is loaded before it is due: pictures and films at once, pages a few seconds before, as they run.
  function preload() {
    var next = state.next, kind = next && kinds(next), origin = next && originOf(next), runs;
    if (coming && (!next || coming.key !== next.key)) { remove(coming); coming = null; }
    if (!next || !shown || next.key === state.show.key || coming || (origin && origin === shown.origin)) return later("preload", -1);
    runs = kind.length > 1 || kind[0] === "iframe";
    later("preload", runs ? (state.due === null ? -1 : Math.max(1, state.due - 5)) : 2, function () {
      if (!coming && state.next === next) coming = load(next);
    });
  }
  function update(news) {
    var name, fresh;
    for (name in news) state[name] = news[name];
    if ("beat" in news) asked = 0;
    if (!("asleep" in state)) return;
    arrange();
    write();
    say();
    // After a restart of Home Assistant, what it has not loaded itself goes on.
    if (!greeted && shown && state.show && shown.key === state.show.key && !state.asleep) { current = state.work; tell(told); }
    fresh = state.work !== current || (state.work && !state.asleep && !shown && !pending && !timers.retry);
    greeted = true;
    current = state.work;
    if (state.asleep || !state.work) {
      [shown, pending, coming, leaving].forEach(remove);
      shown = pending = coming = leaving = null;
      label.className = stage.className = bar.className = id("qr").className = "";
      ["retry", "preload"].forEach(function (timer) { later(timer, -1); });
      line("");
      if (!state.asleep) say(words.paired, "", words.choose.replace("{name}", state.name), forgets ? words.forgets : "");
      if (!("beat" in news)) tellRender(0);
    } else if (fresh) {
      begin();
    } else {
      if (wantsAgain && news.show) { wantsAgain = false; start(null); }
      frame(shown);
      if (shown) caption(false);
      if (news.tapped && tapped("refused")) line("refused");
      if ("next" in news || "due" in news) preload();
    }
    awake();
  }

  // Kept awake where the browser allows it, which it does on a secure connection only.
  function awake() {
    if (!navigator.wakeLock || asking) return;
    if (document.hidden || state.asleep !== false) { if (lock) lock.release(); lock = null; return; }
    if (lock && !lock.released) return;
    asking = true;
    navigator.wakeLock.request("screen").then(function (given) { asking = false; lock = given; awake(); }, function () { asking = false; });
  }
  document.addEventListener("visibilitychange", function () { awake(); tell(told); });
  window.addEventListener("resize", function () { if (state.settings) { arrange(); frame(shown); tell(told); } });

  // A tap: full screen and sound, and the bar. One on a work that is a page belongs to the work, but for its edge.
  stage.addEventListener("click", function (event) {
    var root = document.documentElement, on = event.target;
    while (on && on !== stage && on.tagName !== "BUTTON") on = on.parentNode;
    if (on && on.id === "next") return tell({ tap: "next" });
    if (on && on.id === "favorite") return tell({ tap: "favorite", part: part });
    if (on && on.id === "hide") return hide();
    touched = true;
    frame(shown);
    if (state.touch && shown) {
      part = second(event);
      caption(false);
      bar.className = "on";
      document.body.className = "";
      later("bar", 6, function () { bar.className = ""; document.body.className = "art"; if (shown) unsure(); });
    }
    if (!document.fullscreenElement && root.requestFullscreen) { var full = root.requestFullscreen(); if (full && full.catch) full.catch(function () {}); }
  });
  // Which of two photos beside each other is tapped, or of two above each other.
  function second(event) {
    var box = shown.box;
    if (!shown.ours || event.target !== box) return 0;
    return +(box.clientWidth > box.clientHeight ? event.offsetX * 2 > box.clientWidth : event.offsetY * 2 > box.clientHeight);
  }
  // For good only with a second tap on the same work.
  function hide() {
    if (sure === state.work + part) { unsure(); return tell({ tap: "hide", part: part }); }
    sure = state.work + part;
    id("hide").className = "on";
    line("sure");
  }
  function unsure() { sure = id("hide").className = ""; line(""); }
  ["next", "favorite", "hide"].forEach(function (name) { id(name).setAttribute("aria-label", words[name]); });
  id("scan").getElementsByTagName("span")[0].textContent = words.scan;

  // The secret is what makes this browser a screen; a link from elsewhere replaces none.
  function secret() {
    var stored = null;
    try { stored = localStorage.getItem("dp1-screen"); } catch (err) { /* Storage is off. */ }
    return kept || stored || (location.hash.length > 40 ? location.hash.slice(1) : null);
  }
  function keep(given) {
    kept = given;
    try { localStorage.setItem("dp1-screen", given); forgets = localStorage.getItem("dp1-screen") !== given; } catch (err) { forgets = true; }
  }
  window.addEventListener("storage", function (event) {
    // Another tab of this browser was paired.
    if (event.key === "dp1-screen" && event.newValue && !("asleep" in state)) lose(0);
  });

  function connect() {
    var mine = socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/dp1/screen/socket"), wait = 2;
    opened = Date.now();
    asked = 0;
    mine.onopen = function () { greeted = false; send({ secret: secret(), version: document.body.getAttribute("data-version") }); };
    mine.onmessage = function (event) {
      var message = JSON.parse(event.data);
      lostAt = 0;
      asked = 0;
      if (message.secret) {
        keep(message.secret);
        isNew = true;
        wait = 0;
      } else if (message.renew) {
        renew(message.renew);
      } else if (message.problem) {
        wait = 30;
        say(words.title, "", words[message.problem]);
      } else if ("code" in message) {
        state = {};
        [shown, pending, coming, leaving].forEach(remove);
        shown = pending = coming = leaving = current = null;
        label.className = stage.className = bar.className = id("qr").className = "";
        line("");
        if (message.code) say(words.enter, message.code.replace(/(...)/, "$1 "), words.where); else { wait = 30; say(words.title, "", words.full); }
      } else update(message);
    };
    mine.onclose = function () { lose(wait); };
  }
  // Home Assistant has another page by now. Once for each, as whatever is between may keep an old one; without a secret that is kept, never.
  function renew(version) {
    try {
      if (forgets || sessionStorage.getItem("dp1-version") === version) return;
      sessionStorage.setItem("dp1-version", version);
      location.reload();
    } catch (err) { /* Storage is off. */ }
  }
  // The connection is gone, whether or not the browser knows it yet.
  function lose(wait) {
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      try { socket.close(); } catch (err) { /* It is closed. */ }
      socket = null;
    }
    lostAt = lostAt || Date.now();
    later("connect", wait, connect);
  }
  setInterval(function () {
    var now = Date.now();
    if (lostAt && now - lostAt > 15000) {
      if (state.text) id("hour").textContent = "";
      if (!shown && !state.asleep) say(words.title, "", words.away);
    }
    if (!socket) return;
    if (socket.readyState === 0) { if (now - opened > OPENING * 1000) lose(1); return; }
    if (asked && now - asked > SILENCE * 1000) return lose(0);
    if (!asked && socket.readyState === 1) { asked = now; told.beat = ++beats; tell(told); delete told.beat; }
  }, BEAT * 1000);
  window.addEventListener("online", function () { lose(0); });
  connect();
})();
