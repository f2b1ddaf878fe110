// Loads the client and lets it take over the page. The build replaces the two names with the files that it made. Both are
// fetched at once, because neither is of use without the other.
const module = fetch(new URL("__APP_WASM__", import.meta.url));
const { default: init, hydrate } = await import("__APP_MODULE__");

await init({ module_or_path: module });
hydrate();
