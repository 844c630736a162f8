"use strict";
(() => {
  const match = JSON.parse(document.getElementById("match").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const COLOURS = { A: "#0072B2", B: "#D55E00" };
  const find = (id) => document.getElementById(id);

  function draw(parent, kind, attributes, text) {
    const made = document.createElementNS(SVG, kind);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  // -- moments: the start; then of each dispatch the orders, and every tick ------------------------------------------

  const places = (state) => Object.fromEntries(Object.entries(state.trains).map(([t, x]) => [t, [x.from, x.at]]));
  const moments = [{ d: 0, tick: 0, trains: places(match.states[0]), events: [] }];
  match.orders.forEach((_, d) => {
    const trains = places(match.states[d]);
    const ticks = Math.max(0, ...match.moves[d].map((move) => move[0]), ...match.events[d].map((event) => event.tick));
    moments.push({ d: d + 1, tick: 0, trains: { ...trains }, events: [] });
    for (let tick = 1; tick <= ticks; tick++) {
      for (const [, train, from, to] of match.moves[d].filter((move) => move[0] === tick)) trains[train] = [from, to];
      const events = match.events[d].filter((event) => event.tick === tick);
      moments.push({ d: d + 1, tick, trains: { ...trains }, events });
    }
    moments[moments.length - 1].last = true;
  });

  // -- the board ------------------------------------------------------------------------------------------------------

  const board = find("board");
  board.setAttribute("viewBox", `0 0 ${match.width} ${match.height}`);
  for (const [one, other] of match.tracks) {
    const [x1, y1] = match.nodes[one], [x2, y2] = match.nodes[other];
    draw(board, "line", { x1, y1, x2, y2, stroke: "#4D4D4D", "stroke-width": 3 });
  }
  const stars = draw(board, "g", {});
  const circles = {}, rings = {}, sidings = {};
  for (const [node, [x, y]] of Object.entries(match.nodes)) {
    const short = [...node].length > 4 ? [...node].slice(0, 3).join("") + "…" : node;
    if (node in match.junctions) {
      rings[node] = draw(board, "circle", { cx: x, cy: y, r: 20, fill: "none", stroke: "none", "stroke-width": 4 });
      circles[node] = draw(board, "circle", { cx: x, cy: y, r: 15, stroke: "#222", "stroke-width": 1.5 });
      sidings[node] = {
        A: draw(board, "rect", { x: x - 18, y: y + 12, width: 9, height: 9, fill: COLOURS.A, stroke: "#fff" }),
        B: draw(board, "rect", { x: x + 9, y: y + 12, width: 9, height: 9, fill: COLOURS.B, stroke: "#fff" }),
      };
    } else {
      draw(board, "rect", { x: x - 14, y: y - 14, width: 28, height: 28, fill: "#E3E3E3", stroke: "#222", "stroke-width": 1.5 });
    }
    const label = draw(board, "text", { x, y: y + 4, "text-anchor": "middle", "font-size": 12, "font-weight": "bold" }, short);
    draw(label, "title", {}, node);
  }
  const trains = {};
  for (const train of Object.keys(match.states[0].trains)) {
    const group = draw(board, "g", { class: "train" });
    draw(group, "rect", { x: -14, y: -10, width: 28, height: 20, rx: 4, fill: COLOURS[train[0]], stroke: "#fff", "stroke-width": 1.5 });
    draw(group, "text", { x: 0, y: 4.5, "text-anchor": "middle", "font-size": 12, "font-weight": "bold", fill: "#fff" }, train);
    trains[train] = group;
  }

  function stand(positions) {
    const taken = {};
    for (const [train, [from, at]] of Object.entries(positions)) {
      const [x, y] = match.nodes[at], [fx, fy] = match.nodes[from];
      const length = Math.hypot(fx - x, fy - y) || 1;
      const dx = (fx - x) / length, dy = (fy - y) / length;
      const key = JSON.stringify([from, at]);
      const beside = (taken[key] = (taken[key] ?? -1) + 1);
      const aside = [0, 23, -23, 46][beside];
      const along = Math.min(31, 0.45 * length);
      trains[train].setAttribute("transform", `translate(${x + along * dx - aside * dy} ${y + along * dy + aside * dx})`);
    }
  }

  function star(x, y) {
    const points = [];
    for (let i = 0; i < 16; i++) {
      const r = i % 2 ? 10 : 24, angle = (i * Math.PI) / 8;
      points.push(`${x + r * Math.cos(angle)},${y + r * Math.sin(angle)}`);
    }
    draw(stars, "polygon", { points: points.join(" "), fill: "#E69F00", "fill-opacity": 0.75, stroke: "#222" });
  }

  // -- the chances ----------------------------------------------------------------------------------------------------

  const chart = find("chances"), W = 640, H = 190, L = 44, R = 10, T = 10, B = 34;
  const steps = Math.max(1, match.chances.length - 1);
  const at = (d) => L + ((W - L - R) * d) / steps, up = (p) => T + (H - T - B) * (1 - p);
  chart.setAttribute("viewBox", `0 0 ${W} ${H}`);
  for (const p of [0, 0.25, 0.5, 0.75, 1]) {
    draw(chart, "line", { x1: L, x2: W - R, y1: up(p), y2: up(p), stroke: p === 0.5 ? "#595959" : "#D5D5D5" });
    draw(chart, "text", { x: L - 6, y: up(p) + 4, "text-anchor": "end", "font-size": 12, fill: "#595959" }, `${100 * p}%`);
  }
  const every = Math.max(1, Math.ceil(steps / 12));
  for (let d = 0; d <= steps; d += every) {
    draw(chart, "text", { x: at(d), y: H - 17, "text-anchor": "middle", "font-size": 12, fill: "#595959" }, d);
  }
  draw(chart, "text", { x: (W + L) / 2, y: H - 2, "text-anchor": "middle", "font-size": 12, fill: "#595959" }, "dispatches played");
  const clamp = (p) => Math.min(1, Math.max(0, p));
  const band = [
    ...match.chances.map(([p, w], d) => `${at(d)},${up(clamp(p + w))}`),
    ...match.chances.map(([p, w], d) => `${at(d)},${up(clamp(p - w))}`).reverse(),
  ];
  draw(chart, "polygon", { points: band.join(" "), fill: COLOURS.A, "fill-opacity": 0.2 });
  draw(chart, "polyline", {
    points: match.chances.map(([p], d) => `${at(d)},${up(p)}`).join(" "), fill: "none", stroke: COLOURS.A, "stroke-width": 2.5,
  });
  if (match.turning !== null) {
    draw(chart, "line", { x1: at(match.turning), x2: at(match.turning), y1: T, y2: H - B, stroke: "#E69F00", "stroke-width": 2, "stroke-dasharray": "5 4" });
    const left = match.turning > steps / 2;
    draw(chart, "text", { x: at(match.turning) + (left ? -5 : 5), y: T + 11, "text-anchor": left ? "end" : "start", "font-size": 12 }, "turning point");
  }
  const cursor = draw(chart, "line", { y1: T, y2: H - B, stroke: "#222", "stroke-width": 1.5 });

  // -- showing a moment -----------------------------------------------------------------------------------------------

  const slider = find("slider");
  slider.max = moments.length - 1;
  let now = 0, playing = null;

  function row(company, state) {
    const line = document.createElement("tr");
    const cells = [
      [`${company} (${match.players[company]})`, ""],
      [state.points[company], "number"],
      [`$${state.cash[company]}`, "number"],
      [Object.entries(state.trains).filter(([t]) => t[0] === company)
        .map(([t, x]) => `${t} to ${x.to} (+${x.reward})${x.speed > 1 ? `, speed ${x.speed}` : ""}`).join("; "), ""],
    ];
    for (const [text, kind] of cells) {
      const cell = document.createElement("td");
      cell.textContent = text;
      cell.className = kind;
      line.append(cell);
    }
    return line;
  }

  function show(index) {
    now = Math.min(moments.length - 1, Math.max(0, index));
    const moment = moments[now], d = moment.d;
    // While trains roll, switches and sidings already are as they will be: both come first in a dispatch.
    const set = match.states[d], known = d === 0 || moment.last ? set : match.states[d - 1];
    const ordered = d > 0 ? match.orders[d - 1] : null;
    slider.value = now;
    slider.setAttribute("aria-valuetext", d === 0 ? "start" : `dispatch ${d}, ${moment.tick === 0 ? "orders" : `tick ${moment.tick}`}`);
    find("moment").textContent = d === 0 ? `Start of ${match.orders.length} dispatches`
      : `Dispatch ${d} of ${match.orders.length}: ${moment.tick === 0 ? "both orders are shown" : `tick ${moment.tick}`}`;
    find("order-a").textContent = ordered ? `A orders ${ordered.A}` : "A has not ordered yet";
    find("order-b").textContent = ordered ? `B orders ${ordered.B}` : "B has not ordered yet";
    let happened = moment.events.map((event) => event.words.replace(/, tick \d+$/, "")).join("; ");
    if (now === moments.length - 1 && match.result.winner) {
      const { winner, decided_by } = match.result;
      happened += `${happened ? ". " : ""}${winner === "shared" ? "The victory is shared." : `${winner} wins on ${decided_by}.`}`;
    }
    find("happened").textContent = happened;
    find("standing").replaceChildren(row("A", known), row("B", known));
    const toggled = d > 0 ? match.toggles[d - 1] : [];
    for (const [node, circle] of Object.entries(circles)) {
      circle.setAttribute("fill", set.routes[node] === 2 ? "#F0E442" : "#FFFFFF");
      rings[node].setAttribute("stroke", toggled.includes(node) ? "#009E73" : "none");
      for (const company of ["A", "B"]) {
        sidings[node][company].setAttribute("visibility", set.sidings[company].includes(node) ? "visible" : "hidden");
      }
    }
    stand(moment.trains);
    stars.replaceChildren();
    for (const event of moment.events) {
      if (event.event === "junction_conflict") star(...match.nodes[event.at]);
      if (event.event === "head_on") {
        const movers = ["A", "B"].map((company) => match.orders[d - 1][company].split(" ")[0]);
        const [[x1, y1], [x2, y2]] = movers.map((train) => match.nodes[moment.trains[train][1]]);
        star((x1 + x2) / 2, (y1 + y2) / 2);
      }
    }
    for (const side of ["x1", "x2"]) cursor.setAttribute(side, at(moment.last || d === 0 ? d : d - 0.5));
  }

  function stop() {
    clearInterval(playing);
    playing = null;
    find("play").textContent = "▶ play";
  }

  function toggle() {
    if (playing !== null) return stop();
    if (now === moments.length - 1) show(0);
    find("play").textContent = "❚❚ pause";
    playing = setInterval(() => {
      show(now + 1);
      if (now === moments.length - 1) stop();
    }, 700);
  }

  function dispatch(d) {
    stop();
    const index = moments.findIndex((moment) => moment.d === d && (moment.last || d === 0));
    show(index < 0 ? (d < 0 ? 0 : moments.length - 1) : index);
  }

  const step = (by) => { stop(); show(now + by); };
  find("first").onclick = () => step(-moments.length);
  find("back").onclick = () => step(-1);
  find("next").onclick = () => step(1);
  find("last").onclick = () => step(moments.length);
  find("play").onclick = toggle;
  slider.oninput = () => { stop(); show(Number(slider.value)); };
  chart.onclick = (event) => {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * W;
    dispatch(Math.min(match.orders.length, Math.max(0, Math.round(((x - L) / (W - L - R)) * steps))));
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const keys = {
      ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => step(-moments.length), End: () => step(moments.length),
      PageUp: () => dispatch(moments[now].d - 1), PageDown: () => dispatch(moments[now].d + 1), " ": toggle,
    };
    if (!(event.key in keys) || (event.key === " " && event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    keys[event.key]();
  });
  show(0);
})();
