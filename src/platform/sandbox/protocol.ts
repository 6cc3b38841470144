/** Messages between the main thread and a worker thread. Values are cloned, so the threads share no memory. */

export type ToThread =
  | { type: "run"; module: string; input: unknown }
  /** The main thread has handled the event, so the task may send the next one. */
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

/** Functions that the main thread offers to a task. */
export interface Host<Event = unknown> {
  /** Sends an event. Await it before the next event: it resolves when the main thread has handled this one. */
  emit(event: Event): Promise<void>;
  /** Opens a service of the main thread. Items are produced one at a time, on demand. */
  open(service: string, input: unknown): AsyncIterable<unknown>;
}

/** The default export of a module that runs in a thread. */
export type Run<Input, Result, Event = unknown> = (input: Input, host: Host<Event>) => Promise<Result>;
