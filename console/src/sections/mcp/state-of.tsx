import { mcp as texts } from "../../texts/mcp.ts";
import { State } from "../../ui/state.tsx";
import type { Connection } from "./types.ts";

type Props = Pick<Connection, "status" | "heldTools"> & { boxed?: boolean };

/** The state of a connection. Held tools are counted. */
export const ConnectionState = ({ status, heldTools, boxed = false }: Props) => (
  <State
    kind="mcp"
    value={status}
    boxed={boxed}
    {...(status === "tools_held" ? { word: texts.list.held(heldTools) } : {})}
  />
);
