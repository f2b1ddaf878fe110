// Stands in front of the bundle's entry and counts the rows that its objects write, by what each statement's cursor
// says. A cursor with RETURNING knows its count only once it was read, so those are kept until somebody asks.

import bundled, * as entry from "./entry.mjs";

const WRITES = /^\s*(insert|update|delete|replace|with)\b/i;
const RETURNS = /\breturning\b/i;

let written = 0;
let unread = [];

function counted(ObjectClass) {
  return class extends ObjectClass {
    constructor(context, environment) {
      const { sql } = context.storage;
      const execute = sql.exec.bind(sql);
      sql.exec = (query, ...bindings) => {
        const cursor = execute(query, ...bindings);
        if (WRITES.test(query)) {
          if (RETURNS.test(query)) unread.push(cursor);
          else written += cursor.rowsWritten;
        }
        return cursor;
      };
      super(context, environment);
    }
  };
}

export const PersonalAgent = counted(entry.PersonalAgent);
export const Conversation = counted(entry.Conversation);

export default {
  fetch(request, ...rest) {
    if (new URL(request.url).pathname !== "/rows-written") return bundled.fetch(request, ...rest);
    for (const cursor of unread) written += cursor.rowsWritten;
    unread = [];
    return Response.json(written);
  },
};
