export { readArguments, UsageError } from "@signalbox/command-line";
