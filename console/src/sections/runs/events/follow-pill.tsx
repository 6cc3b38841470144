import { ArrowDown } from "lucide-react";
import { formatNumber } from "../../../lib/format.ts";
import { useShortcuts } from "../../../lib/keyboard.tsx";
import { runs } from "../../../texts/runs.ts";
import { Lamp } from "../../../ui/state.tsx";

interface FollowPillProps {
  isFollowing: boolean;
  toggle(): void;
  unseen: number;
}

/** Says whether the page follows the run, and switches it. `F` does the same. */
export function FollowPill({ isFollowing, toggle, unseen }: FollowPillProps) {
  const { useKey } = useShortcuts();
  useKey("f", toggle);
  return (
    <div className="tail">
      <button type="button" className="pill" aria-pressed={isFollowing} onClick={toggle}>
        {isFollowing ? <Lamp tone="live" pulse /> : <ArrowDown className="i s" aria-hidden />}
        {isFollowing ? runs.run.following : runs.run.follow}
        {!isFollowing && unseen > 0 && (
          <span className="t3 num">{runs.run.newEvents(formatNumber(unseen))}</span>
        )}
        <kbd aria-hidden>F</kbd>
      </button>
    </div>
  );
}
