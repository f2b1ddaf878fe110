// A guard around the classes that Rust exports.
//
// All objects of an agent share one Wasm memory. When it is reset (a panic, or an exception out of an import), the
// futures that lived in it never complete: requests in flight would hang, and an alarm in flight would block every
// later alarm of its object. The guard watches the instance while a handler runs and ends the handler with an error
// when the instance is gone, so that callers get an answer and the runtime retries the alarm. Rust does the rest: a
// lost turn is recognised by its row.

import { DurableObject } from "cloudflare:workers";

const WATCH_MILLISECONDS = 500;

// Written by the build tool's glue, which every entry imports first: `criticalError` is set when the instance is lost,
// `instanceId` counts instances.
const instance = () => globalThis.__worker_init_state;

function guarded(call) {
  const result = call();
  if (typeof result?.then !== "function") return result;
  const started = instance().instanceId;
  let watch;
  const lost = new Promise((_, reject) => {
    watch = setInterval(() => {
      if (instance().criticalError || instance().instanceId !== started) {
        reject(new Error("the Wasm instance was reset while this handler ran"));
      }
    }, WATCH_MILLISECONDS);
  });
  return Promise.race([result, lost]).finally(() => clearInterval(watch));
}

/** A Durable Object class around an exported one. */
export function guardedObject(Rust) {
  return class extends DurableObject {
    constructor(context, environment) {
      super(context, environment);
      this.object = new Rust(context, environment);
    }
    fetch(request) {
      return guarded(() => this.object.fetch(request));
    }
    alarm() {
      return guarded(() => this.object.alarm());
    }
    webSocketMessage(socket, message) {
      return guarded(() => this.object.webSocketMessage(socket, message));
    }
    webSocketClose(socket, code, reason, wasClean) {
      return guarded(() => this.object.webSocketClose(socket, code, reason, wasClean));
    }
    webSocketError(socket, error) {
      return guarded(() => this.object.webSocketError(socket, error));
    }
  };
}

/** The Worker's handlers around the exported entry. */
export function guardedEntry(RustEntry) {
  return {
    fetch(request, environment, context) {
      return guarded(() => new RustEntry(context, environment).fetch(request));
    },
  };
}
