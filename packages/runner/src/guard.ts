import { spawn } from "node:child_process";

/** Ends the process groups of runs when this process dies unexpectedly. */
export interface Guard {
  watch(group: number): void;
  forget(group: number): void;
  close(): void;
}

/**
 * After `kill -9` this process cannot end the programs, which would then work beside the next attempt. A shell at the
 * other end of a pipe notices the end of this process and ends the groups that are still listed.
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
    // Its own process group, so that a signal to the runner's group does not end it.
    detached: true,
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  shell.unref();
  const send = (line: string) => void shell.stdin.write(`${line}\n`);
  return {
    watch: (group) => send(`watch ${group}`),
    forget: (group) => send(`forget ${group}`),
    close: () => void shell.stdin.end(),
  };
}
