// Lets the client take over the page. The build replaces the two names with those of the files that it made.
import init, { hydrate } from "__APP_MODULE__";

await init({ module_or_path: "__APP_WASM__" });
hydrate();
