import {
  Activity,
  Archive,
  ArrowDownToLine,
  Ban,
  CircleCheck,
  CircleCheckBig,
  CircleDashed,
  CircleDot,
  CircleMinus,
  CirclePause,
  CirclePlay,
  CircleQuestionMark,
  CircleSlash2,
  CircleStop,
  CircleX,
  Clock3,
  CloudOff,
  CopyX,
  FastForward,
  GitCompare,
  ListChecks,
  LoaderCircle,
  LogIn,
  type LucideIcon,
  Plug,
  PowerOff,
  ShieldAlert,
  Timer,
  TriangleAlert,
  Unplug,
  WifiOff,
} from "lucide-react";
import { stateWords } from "../texts/states.ts";

export type Tone = "live" | "ok" | "care" | "bad" | "none";

interface StateLook {
  tone: Tone;
  icon: LucideIcon;
}

/** One colour and one icon for each state. The words are in `texts/states.ts`. */
const looks = {
  run: {
    queued: { tone: "none", icon: Clock3 },
    running: { tone: "live", icon: LoaderCircle },
    succeeded: { tone: "ok", icon: CircleCheck },
    failed: { tone: "bad", icon: CircleX },
    skipped: { tone: "care", icon: CircleSlash2 },
    cancelled: { tone: "none", icon: CircleStop },
  },
  account: {
    connected: { tone: "ok", icon: Plug },
    expiring: { tone: "care", icon: Timer },
    uncertain: { tone: "care", icon: CircleQuestionMark },
    needs_reconnect: { tone: "bad", icon: Unplug },
    ended: { tone: "none", icon: CircleMinus },
  },
  mcp: {
    connected: { tone: "ok", icon: Plug },
    tools_held: { tone: "care", icon: GitCompare },
    needs_consent: { tone: "care", icon: ShieldAlert },
    sign_in: { tone: "care", icon: LogIn },
    not_connected: { tone: "none", icon: CircleDashed },
    no_answer: { tone: "bad", icon: CloudOff },
    off: { tone: "none", icon: CirclePause },
    not_needed: { tone: "none", icon: CircleMinus },
  },
  call: {
    ok: { tone: "ok", icon: CircleCheck },
    tool_error: { tone: "care", icon: TriangleAlert },
    refused: { tone: "care", icon: Ban },
    failed: { tone: "bad", icon: CircleX },
    cancelled: { tone: "none", icon: CircleStop },
    timed_out: { tone: "bad", icon: Timer },
  },
  approval: {
    pending: { tone: "care", icon: Clock3 },
    approved: { tone: "ok", icon: CircleCheck },
    denied: { tone: "none", icon: Ban },
    used: { tone: "none", icon: CircleCheckBig },
    expired: { tone: "none", icon: CircleSlash2 },
  },
  delivery: {
    accepted: { tone: "ok", icon: CircleCheck },
    ignored: { tone: "none", icon: CircleMinus },
    invalid: { tone: "bad", icon: CircleX },
    altered: { tone: "care", icon: CopyX },
  },
  sync: {
    queued: { tone: "none", icon: Clock3 },
    running: { tone: "live", icon: LoaderCircle },
    succeeded: { tone: "ok", icon: CircleCheck },
    failed: { tone: "bad", icon: CircleX },
    superseded: { tone: "none", icon: FastForward },
  },
  worker: {
    never_connected: { tone: "none", icon: CircleDashed },
    online: { tone: "ok", icon: CircleDot },
    idle: { tone: "ok", icon: CircleDot },
    busy: { tone: "live", icon: Activity },
    draining: { tone: "care", icon: ArrowDownToLine },
    stale: { tone: "care", icon: WifiOff },
    lost: { tone: "bad", icon: PowerOff },
    stopped: { tone: "none", icon: CircleStop },
    paused: { tone: "none", icon: CirclePause },
  },
  verdict: {
    ready: { tone: "ok", icon: CircleCheckBig },
    manual_action_required: { tone: "care", icon: ListChecks },
    unsupported: { tone: "bad", icon: Ban },
    unreachable: { tone: "none", icon: CloudOff },
  },
  automation: {
    active: { tone: "ok", icon: CirclePlay },
    inactive: { tone: "none", icon: CirclePause },
    archived: { tone: "none", icon: Archive },
  },
} as const satisfies Record<string, Record<string, StateLook>>;

export type StateKind = keyof typeof looks;

export function findState(kind: StateKind, value: string): StateLook & { word: string } {
  const found = (looks[kind] as Record<string, StateLook>)[value];
  const word = (stateWords[kind] as Record<string, string>)[value];
  // A newer server may know a state that this page does not. Its own word is shown then.
  return { tone: found?.tone ?? "none", icon: found?.icon ?? CircleDashed, word: word ?? value };
}
