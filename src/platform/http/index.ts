export { chooseEncoding, matchesTag } from "./accept.ts";
export {
  type Access,
  checkAccess,
  machine,
  member,
  open,
  operator,
  refuseBound,
  signedIn,
} from "./access.ts";
export { toNetwork } from "./address.ts";
export { createHttp, type HttpOptions } from "./app.ts";
export {
  type CredentialEnding,
  type CredentialType,
  createAuthenticator,
  type FindCaller,
  invalidateCallers,
  listCallerIds,
  onInvalidation,
  readCookie,
} from "./authenticate.ts";
export type { BodyAccount } from "./body.ts";
export { defineCursor, defineNumberCursor, idCursor } from "./cursor.ts";
export { encodeMessage, type Message, type OpenStream } from "./event-stream.ts";
export { tooManyStreams } from "./event-streams.ts";
export { lineOfText, linkQuery, recordOf } from "./fields.ts";
export { actions, htmlPage, linkButton, timeText, type View } from "./html.ts";
export { sealedReplies } from "./idempotency.ts";
export { check as checkInput } from "./input.ts";
export { checkInvocation, type InvokedInput, invoke, invokeStream } from "./invoke.ts";
export { waitToParse } from "./long-bodies.ts";
export { html, Markup, type Part } from "./markup.ts";
export { isNavigation } from "./navigation.ts";
export { describeApi } from "./openapi.ts";
export {
  cutPage,
  cutPageById,
  definePage,
  type PageQuery,
  pageQuery,
  readIdCursor,
  readPage,
} from "./page.ts";
export { pageFontPath } from "./page-style.ts";
export { type Protocol, protocol, readMediaType } from "./protocol.ts";
export { countAttempt, resetAttempts } from "./rate-limit.ts";
export type { FieldGuide } from "./reference.ts";
export { renderRefusalPage } from "./refusal-page.ts";
export { baseHeaders, toRefusal } from "./reply.ts";
export type { HttpHeaders } from "./request.ts";
export { parseReturnPath } from "./return-path.ts";
export {
  type HeaderSpec,
  type Input,
  type Outcome,
  on,
  onPrepared,
  operationId,
  type RefusalPage,
  type Route,
  type RouteSpec,
  route,
  shortBodyLimit,
} from "./route.ts";
export { tailPath } from "./router.ts";
export { createServerWithoutSocket, type Listening, listen } from "./server.ts";
export { isLedByOtherSite, refuseOtherSite } from "./site.ts";
export { createStaticFiles, mountFiles, pagePolicy, readFolder, type StaticFiles } from "./static-files.ts";
export { removeExpiredAttempts, removeOldReplies, removeOldUsage } from "./store.ts";
export { mountHandler } from "./web-handler.ts";
