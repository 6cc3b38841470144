/** What the process and a thread tell each other. Everything is cloned: neither holds memory of the other. */

export type ToThread =
  | { type: "run"; module: string; input: unknown }
  /** The process has taken the event; the next may come. */
  | { type: "taken" }
  | { type: "item"; stream: number; value: unknown }
  | { type: "end"; stream: number };

export type FromThread =
  | { type: "event"; value: unknown }
  | { type: "open"; stream: number; service: string; input: unknown }
  | { type: "pull"; stream: number }
  | { type: "close"; stream: number }
  | { type: "done"; value: unknown }
  | { type: "failed"; name: string; message: string; stack: string };

/** What the process offers to the task that runs in a thread. */
export interface Host<Event = unknown> {
  /** Hands something over. Await it: the next event waits until the process has taken this one. */
  emit(event: Event): Promise<void>;
  /** Asks a service of the process; items come one by one, when they are asked for. */
  open(service: string, input: unknown): AsyncIterable<unknown>;
}

/** The default export of a module that runs in a thread. */
export type Run<Input, Result, Event = unknown> = (input: Input, host: Host<Event>) => Promise<Result>;
