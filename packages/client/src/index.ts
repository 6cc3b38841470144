/** A client of the HTTP API of Signalbox, for Node and browsers. */
export type * from "./api.ts";
export { type Backoff, createBackoff, longestRetryAfterMs, longestTimerMs, pause } from "./backoff.ts";
export { type Client, createClient, type Filter } from "./client.ts";
export {
  describeNetworkError,
  type ErrorKind,
  RefusedError,
  RequestError,
  type UnreachableCode,
  UnreachableError,
} from "./errors.ts";
export { readEventStream, type StreamMessage } from "./event-stream.ts";
export type { StreamUpdate } from "./follow-stream.ts";
export {
  type Credential,
  createHttp,
  type Http,
  type HttpOptions,
  type HttpRequest,
  type Query,
} from "./http.ts";
export type { Body, CallOptions, Input, Item, ListOperation, Operation, Reply } from "./operations.ts";
export type { Page } from "./pages.ts";
export { isEnded, type RunUpdate } from "./watch-run.ts";
