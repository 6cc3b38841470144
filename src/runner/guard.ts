import { spawn } from "node:child_process";

/** Ends the process groups of runs if this process dies without a word. */
export interface Guard {
  watch(group: number): void;
  forget(group: number): void;
  close(): void;
}

/**
 * After `kill -9` nobody is left here who could end the commands, and a command that goes on would do the
 * work beside the next attempt. A shell that sits at the other end of a pipe learns of our end at once,
 * however that comes, and ends what is still listed.
 */
const program = `
trap '' INT TERM HUP
groups=
while read -r what group; do
  others=
  for one in $groups; do [ "$one" = "$group" ] || others="$others $one"; done
  groups=$others
  [ "$what" = watch ] && groups="$groups $group"
done
[ -n "$groups" ] || exit 0
for one in $groups; do kill -TERM "-$one"; done
sleep 2
for one in $groups; do kill -KILL "-$one"; done
`;

export function startGuard(): Guard {
  const shell = spawn("/bin/sh", ["-c", program, "signalbox-runner-guard"], {
    // A group of its own: what ends ours must not end it.
    detached: true,
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  shell.unref();
  const say = (line: string) => void shell.stdin.write(`${line}\n`);
  return {
    watch: (group) => say(`watch ${group}`),
    forget: (group) => say(`forget ${group}`),
    close: () => void shell.stdin.end(),
  };
}
