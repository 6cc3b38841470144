// The package brings no types; this is what the tests use of it.
declare module "smtp-server" {
  import type { Server } from "node:net";
  import type { Readable } from "node:stream";

  interface Session {
    envelope: { rcptTo: { address: string }[] };
  }
  export class SMTPServer {
    server: Server;
    constructor(options: {
      authOptional?: boolean;
      disabledCommands?: string[];
      onRcptTo?(address: unknown, session: Session, done: (error: Error | null) => void): void;
      onData?(stream: Readable, session: Session, done: (error?: Error) => void): void;
    });
    listen(port: number, host: string, done: () => void): void;
    close(done: () => void): void;
  }
}
