/** Code that the commands of Signalbox share, in the server's command line and in the packages. */
export { readArguments, UsageError } from "./arguments.ts";
export { exit, OperatorError, printError } from "./errors.ts";
export {
  checkKey,
  defaultUrl,
  findLogin,
  type Login,
  type LoginFlags,
  NotSignedIn,
  parseUrl,
  profileName,
  readKeyFile,
} from "./login.ts";
export { printable, printableLine } from "./printable.ts";
export { type Profile, profilesFile, readProfiles, writeProfiles } from "./profiles.ts";
export { createChildStopSignal, createStopSignal } from "./stop-signal.ts";
export { cleanText, createPaint, describeScreen, type Paint, type Screen, wrap } from "./text.ts";
