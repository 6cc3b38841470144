import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { useOrganization } from "../../lib/context.tsx";
import { useShortcuts } from "../../lib/keyboard.tsx";
import { shell } from "../../texts/shell.ts";
import { type Command, useCommands } from "./commands.ts";

const texts = shell.palette;

/** Search and commands. A command that ends something needs a second Enter. */
export default function Palette() {
  const { palette } = useShortcuts();
  const navigate = useNavigate();
  const { slug } = useOrganization();
  const [text, setText] = useState("");
  // Not as the initial value: React may call that function twice, and the text is given once.
  useEffect(() => {
    const typed = palette.takeTyped();
    if (typed) setText(typed);
  }, [palette]);
  const [armed, setArmed] = useState<string>();
  const groups = useCommands(text);
  const choose = (command: Command) => {
    if (command.destructive && armed !== command.id) return setArmed(command.id);
    palette.close();
    if (command.run) command.run();
    else if (command.to !== undefined)
      void navigate({ to: command.to.startsWith("/o/") ? command.to : `/o/${slug}${command.to}` });
  };
  return (
    <Dialog.Root open={palette.isOpen} onOpenChange={(isOpen) => !isOpen && palette.close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="pal">
          <Dialog.Title className="vh">{texts.title}</Dialog.Title>
          <Autocomplete.Root
            items={groups}
            value={text}
            onValueChange={(value) => {
              setText(value);
              setArmed(undefined);
            }}
            mode="none"
            autoHighlight="always"
            keepHighlight
            inline
            open
          >
            <div className="ph">
              <Search className="i" aria-hidden />
              <Autocomplete.Input
                className="bare grow"
                placeholder={texts.placeholder}
                aria-label={texts.placeholder}
              />
              <kbd aria-hidden>esc</kbd>
            </div>
            <Autocomplete.Empty className="pal-empty">{text && texts.nothing(text)}</Autocomplete.Empty>
            <Autocomplete.List className="pal-list">
              {(group: (typeof groups)[number]) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className="pal-group">{group.value}</Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(command: Command) => (
                      <Autocomplete.Item
                        key={command.id}
                        value={command}
                        className="pal-item"
                        onClick={() => choose(command)}
                      >
                        {command.icon && <command.icon className="i" aria-hidden />}
                        <span className="grow cut">{command.label}</span>
                        <span className="t3">{armed === command.id ? texts.again : command.hint}</span>
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
