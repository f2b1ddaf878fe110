// The bundle's entry: what the platform runs is the guard around what Rust exports.

import RustEntry, * as rust from "./index.js";
import { guardedEntry, guardedObject } from "./guard.mjs";

export const PersonalAgent = guardedObject(rust.PersonalAgent);
export const Conversation = guardedObject(rust.Conversation);

export default guardedEntry(RustEntry);
