import type { ServerStatus } from "../../lib/server-status.ts";

const lamps: Record<ServerStatus, string> = { live: "on", reconnecting: "on care", away: "on bad" };

/** The signal box. Its lower lamp shows whether the server answers. */
export const Mark = ({ status = "live" }: { status?: ServerStatus }) => (
  <svg className="mark" viewBox="0 0 22 22" aria-hidden>
    <rect className="box" width="22" height="22" rx="6" />
    <circle className="off" cx="11" cy="7" r="2.75" />
    <circle className={lamps[status]} cx="11" cy="15" r="2.75" />
  </svg>
);
