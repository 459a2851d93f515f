// The page of a screen: shows what its server says, and tells how that goes. For browsers from about 2018 on, those of
// televisions too, hence without newer syntax.
(function () {
  "use strict";
  var stage = document.getElementById("stage"), label = document.getElementById("label"), note = document.getElementById("note");
  var SUFFIX = { img: /\.(avif|gif|jpe?g|png|svg|webp|bmp)$/i, video: /\.(mp4|m4v|mov|webm|ogv|m3u8)$/i, iframe: /\.html?$/i };
  var socket = null, state = {}, shown = null, coming = null, touched = false, greeted = false, hideLabel = 0, clock = 0, lock = null;

  function send(message) {
    if (socket && socket.readyState === 1) socket.send(JSON.stringify(message));
  }
  function tell(more) {
    var message = { work: state.work, width: screen.width * (window.devicePixelRatio || 1) | 0, height: screen.height * (window.devicePixelRatio || 1) | 0 };
    for (var key in more) message[key] = more[key];
    send(message);
  }
  function say(text) {
    note.textContent = text || "";
    note.className = text ? "on" : "";
  }

  // A work: a box with its element. The kind is that of the address, else found by trying.
  function kinds(source) {
    var data = /^data:([a-z]+)\/?([^;,]*)/i.exec(source), kind;
    if (data) return [{ image: "img", video: "video" }[data[1].toLowerCase()] || "iframe"];
    var path = source.split(/[?#]/)[0];
    for (kind in SUFFIX) if (SUFFIX[kind].test(path)) return [kind];
    return ["img", "video", "iframe"];
  }
  function load(source) {
    var work = { box: document.createElement("div"), source: source, ready: false, failed: "", done: [] };
    work.box.className = "work";
    stage.insertBefore(work.box, label);
    attempt(work, kinds(source));
    return work;
  }
  function settle(work, failed) {
    if (work.ready || work.failed) return;
    work.ready = !failed;
    work.failed = failed || "";
    work.done.forEach(function (done) { done(); });
  }
  function attempt(work, rest) {
    var kind = rest[0], element = document.createElement(kind), next = function () {
      if (rest.length > 1) { work.box.removeChild(element); attempt(work, rest.slice(1)); } else settle(work, "not_loading");
    };
    work.element = element;
    element.onerror = next;
    if (kind === "video") {
      if (/\.m3u8$/i.test(work.source.split(/[?#]/)[0]) && !element.canPlayType("application/vnd.apple.mpegurl")) return settle(work, "no_hls");
      element.muted = true;
      element.playsInline = true;
      element.onloadeddata = function () { settle(work); };
      element.onended = function () { if (!element.loop) tell({ ended: true }); };
    } else {
      element.onload = function () { settle(work); };
    }
    if (kind === "iframe") {
      element.setAttribute("sandbox", "allow-scripts");
      element.setAttribute("allow", "");
      element.referrerPolicy = "no-referrer";
    }
    var html = kind === "iframe" ? written(work.source) : null;
    if (html !== null) element.onload = function () {
      element.onload = null;
      element.contentWindow.postMessage(html, "*");
      settle(work);
    };
    element.src = html === null ? work.source : "/dp1/screen/frame";
    work.box.appendChild(element);
  }
  // A page in a data: address would inherit the policy of this one, under which none of its scripts runs.
  function written(source) {
    var comma = source.indexOf(","), body = source.slice(comma + 1);
    if (!/^data:text\/html/i.test(source)) return null;
    try { return /;base64$/i.test(source.slice(0, comma)) ? decodeURIComponent(escape(atob(unescape(body)))) : decodeURIComponent(body); } catch (err) { return null; }
  }
  function remove(work) {
    if (!work) return;
    if (work.element.pause) work.element.pause();
    work.element.removeAttribute("src");
    if (work.box.parentNode) stage.removeChild(work.box);
  }

  function arrange() {
    var turned = /^portrait/.test(state.orientation || "") !== (state.natural === "portrait"), reverse = /Reverse$/.test(state.orientation || "");
    var width = window.innerWidth, height = window.innerHeight, angle = (turned ? 90 : 0) + (reverse ? 180 : 0);
    stage.style.width = (turned ? height : width) + "px";
    stage.style.height = (turned ? width : height) + "px";
    stage.style.transform = "translate(-50%, -50%) rotate(" + angle + "deg)";
  }
  function frame(work) {
    if (!work) return;
    var settings = state.settings, fit = { fill: "cover", stretch: "fill" }[settings.scaling] || "contain", margin = settings.margin || 0;
    work.box.style.padding = typeof margin === "number" ? margin + "px" : margin;
    work.box.style.background = settings.background || "#000";
    if (work.element.tagName === "IFRAME") return;
    work.element.style.objectFit = fit;
    if (work.element.tagName === "VIDEO") {
      work.element.loop = state.loop;
      work.element.volume = state.volume;
      work.element.muted = state.muted || !touched;
    }
  }
  function caption(fresh) {
    var tombstone = state.settings.tombstone, line = [state.artist, state.year].filter(Boolean).join(", ");
    label.textContent = "";
    var title = label.appendChild(document.createElement("b"));
    title.textContent = state.title;
    label.appendChild(document.createTextNode(line));
    clearTimeout(fresh ? hideLabel : 0);
    var on = tombstone === "on" || (tombstone === "timed" && (fresh || label.className === "on"));
    label.className = on && (state.title || line) ? "on" : "";
    if (fresh && tombstone === "timed") hideLabel = setTimeout(function () { label.className = ""; }, 10000);
  }

  function show() {
    var work = coming && coming.source === state.source ? coming : load(state.source), key = state.work;
    if (coming !== work) remove(coming);
    coming = null;
    work.key = key;
    tell({ render: 1 });
    function appear() {
      if (state.work !== key) return remove(work);
      var before = shown;
      shown = work;
      frame(work);
      if (work.failed) {
        remove(work);
        tell({ render: 3, error: work.failed });
      } else {
        work.box.className = "work on";
        if (work.element.play) { var played = work.element.play(); if (played && played.catch) played.catch(function () { work.element.muted = true; work.element.play().catch(function () {}); }); }
        tell({ render: 2 });
      }
      caption(true);
      setTimeout(function () { remove(before); }, 900);
      preload();
    }
    if (work.ready || work.failed) appear(); else work.done.push(appear);
    pending = work;
  }
  var pending = null;
  // The next work is loaded before it is due: pictures and films at once, pages a few seconds before, as they run.
  function preload() {
    clearTimeout(clock);
    if (!state.next || state.next === state.source || coming) return;
    var runs = kinds(state.next)[0] === "iframe" || kinds(state.next).length > 1, wait = runs ? (state.due === null ? -1 : Math.max(0, state.due - 5)) : 2;
    if (wait >= 0) clock = setTimeout(function () { if (!coming) coming = load(state.next); }, wait * 1000);
  }
  function update(next) {
    // After a restart of Home Assistant, what it has not loaded itself goes on.
    if (!greeted && shown && shown.source === next.source && !next.asleep) { state.asleep = false; state.work = shown.key = next.work; tell({ render: 2 }); }
    greeted = true;
    var fresh = next.work !== state.work || next.asleep !== state.asleep;
    if (coming && coming.source !== next.next && coming.source !== next.source) { remove(coming); coming = null; }
    state = next;
    state.natural = window.innerHeight > window.innerWidth ? "portrait" : "landscape";
    arrange();
    say("");
    if (state.asleep || !state.work) {
      [shown, coming, pending].forEach(remove);
      shown = coming = pending = null;
      label.className = "";
      clearTimeout(clock);
    } else if (fresh || !shown) {
      if (!pending || pending.key !== state.work) show();
    } else {
      frame(shown);
      caption(false);
      preload();
    }
    awake();
  }

  // Kept awake where the browser allows it, which it does on a secure connection only.
  function awake() {
    if (!navigator.wakeLock || document.hidden) return;
    if (state.asleep) { if (lock) lock.release(); lock = null; } else if (!lock || lock.released) navigator.wakeLock.request("screen").then(function (given) { lock = given; }, function () {});
  }
  document.addEventListener("visibilitychange", function () { awake(); tell({ error: document.hidden ? "hidden" : "", render: shown && !shown.failed ? 2 : 1 }); });
  window.addEventListener("resize", function () { if (state.orientation) { state.natural = window.innerHeight > window.innerWidth ? "portrait" : "landscape"; arrange(); } });
  document.addEventListener("click", function () {
    touched = true;
    frame(shown);
    var root = document.documentElement;
    if (!document.fullscreenElement && root.requestFullscreen) root.requestFullscreen().catch(function () {});
  });

  function connect() {
    var secret = null, wait = 2000;
    // A browser that forgets it may have it in its address.
    try { if (location.hash.length > 40) localStorage.setItem("dp1-screen", location.hash.slice(1)); secret = localStorage.getItem("dp1-screen"); } catch (err) { /* Storage is off. */ }
    socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/dp1/screen/socket");
    socket.onopen = function () { greeted = false; send({ secret: secret }); };
    socket.onmessage = function (event) {
      var message = JSON.parse(event.data);
      if (message.secret) {
        localStorage.setItem("dp1-screen", message.secret);
        wait = 0;
      } else if ("code" in message) {
        wait = message.code ? 2000 : 60000;
        say(message.code ? message.code.replace(/(...)/, "$1 ") + "\n\nHome Assistant → DP-1 Art Displays" : "…");
      } else update(message);
    };
    socket.onclose = function () { setTimeout(connect, wait); };
  }
  connect();
})();
