// Starts the page's module. The build puts the module's hashed address in place of the name, because the content security
// policy allows no inline script that could carry it.
import start from "./app.js";

start({ module_or_path: APP_MODULE });
