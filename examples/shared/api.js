// The pattern API of one design, as one caller.

/** A refusal of the API: problem details (RFC 9457). */
export class Problem extends Error {
  constructor(problem, status) {
    const parts = (problem.errors ?? []).map((part) => part.detail);
    super(parts.length ? parts.join("; ") : (problem.detail ?? problem.title ?? `the server answered ${status}`));
    this.status = status;
    this.kind = (problem.type ?? "").split(":").at(-1);
    /** What is wrong with each field of the body, by its name. */
    this.fields = Object.fromEntries((problem.errors ?? []).filter((part) => part.pointer).map((part) => [part.pointer.slice(2), part.detail]));
  }
}

const RETRY_MAX_MS = 15000;

export class Api {
  /** `base` is the address of the design, such as `/social`. `token` signs the caller in. */
  constructor(base, caller = null) {
    this.base = base;
    this.caller = caller;
    // The position of this caller's last write. Reads carry it, so that they see what followed from the write.
    this.position = null;
  }

  get(path, parameters) {
    return this.#send("GET", path, parameters);
  }
  post(path, body = {}) {
    return this.#send("POST", path, null, body);
  }
  put(path, body = {}) {
    return this.#send("PUT", path, null, body);
  }
  patch(path, body = {}) {
    return this.#send("PATCH", path, null, body);
  }
  delete(path, parameters) {
    return this.#send("DELETE", path, parameters);
  }

  async #send(method, path, parameters, body) {
    const headers = this.#headers();
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.position) headers["Singlet-Position"] = this.position;
    let response;
    try {
      response = await fetch(this.#address(path, parameters), { method, headers, body: body && JSON.stringify(body) });
    } catch {
      throw new Error("The server can't be reached. Is `singlet demo` still running?");
    }
    if (method !== "GET") this.position = response.headers.get("Singlet-Position") ?? this.position;
    const text = await response.text();
    const answer = text ? JSON.parse(text) : null;
    if (!response.ok) throw new Problem(answer ?? {}, response.status);
    return answer;
  }

  /**
   * Follows the answer of a read until the returned function is called.
   *
   * `handlers.answer` gets the answer, and again after every change. `state` hears whether the connection is there, and
   * `refused` why there will be none. For lists, `before` says whether an item is above another one.
   */
  watch(path, parameters, handlers) {
    const end = new AbortController();
    const follow = async () => {
      let wait = 500;
      let last = null;
      let answer = null;
      const take = ({ id, event, data }) => {
        if (id) last = id;
        if (data === undefined) return;
        wait = 500;
        const value = JSON.parse(data);
        if (event === "answer") answer = value;
        else if (event === "put") answer = withItem(answer, value, handlers);
        else if (event === "remove") answer = withoutItem(answer, value);
        else if (event === "problem") throw new Problem(value, value.status);
        else return;
        handlers.answer(answer);
      };
      while (!end.signal.aborted) {
        try {
          const headers = { ...this.#headers(), Accept: "text/event-stream", ...(last && { "Last-Event-ID": last }) };
          const response = await fetch(this.#address(path, parameters), { headers, signal: end.signal });
          if (!response.ok) throw new Problem(await response.json().catch(() => ({})), response.status);
          handlers.state?.(true);
          for await (const event of events(response.body)) take(event);
        } catch (error) {
          if (end.signal.aborted) return;
          const isFinal = error instanceof Problem && error.status < 500 && error.status !== 429;
          if (isFinal) return handlers.refused?.(error);
        }
        handlers.state?.(false);
        await new Promise((resume) => setTimeout(resume, wait * (0.5 + Math.random() / 2)));
        wait = Math.min(wait * 2, RETRY_MAX_MS);
      }
    };
    follow();
    return () => end.abort();
  }

  #headers() {
    return this.caller ? { "Singlet-As": this.caller } : {};
  }

  #address(path, parameters) {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(parameters ?? {})) {
      for (const each of [value].flat()) if (each !== undefined && each !== null) query.append(key, each);
    }
    return this.base + path + (query.size ? `?${query}` : "");
  }
}

/** The events of a stream (server-sent events). EventSource can't send headers, so the stream is read by hand. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = {};
      for (const line of block.split("\n")) {
        const [, name, text] = line.match(/^(id|event|data): ?(.*)$/) ?? [];
        if (name) event[name] = text;
      }
      yield event;
    }
  }
}

const hasKey = (key) => (item) => Object.entries(key).every(([name, value]) => item[name] === value);

// The answer after a `put`: an item by its key is the answer, and in a list it takes its place.
function withItem(answer, { key, item }, { before }) {
  if (!answer?.items) return item;
  const items = answer.items.filter((each) => !hasKey(key)(each));
  const place = items.findIndex((each) => before?.(item, each));
  items.splice(place < 0 ? items.length : place, 0, item);
  return { ...answer, items };
}

function withoutItem(answer, { key }) {
  return answer?.items ? { ...answer, items: answer.items.filter((each) => !hasKey(key)(each)) } : null;
}

/** A path whose values are escaped: path`/posts/${id}/likes`. */
export function path(texts, ...values) {
  return texts.reduce((whole, text, at) => whole + encodeURIComponent(values[at - 1]) + text);
}
