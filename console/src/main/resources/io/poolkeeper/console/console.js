// The console: asks for the pools, and shows them live or, of a record, as they were.

import { api } from "./view.js";

async function start() {
  try {
    const list = await (await api("api/pools")).json();
    const { begin } = await import(list.record ? "./replay.js" : "./live.js");
    begin(list);
  } catch (error) {
    document.getElementById("state").textContent = `not connected: ${error.message}`;
    if (error.status !== 401) setTimeout(start, 2000);
  }
}

start();
