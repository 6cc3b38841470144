import { Dialog } from "@base-ui/react/dialog";
import { Link } from "@tanstack/react-router";
import { usePath } from "../../lib/paths.ts";
import { shell } from "../../texts/shell.ts";
import type { NavGroup } from "../navigation.ts";

interface Props {
  groups: readonly NavGroup[];
  /** The name of the person. */
  name: string;
  onClose(): void;
}

/** All places, on a phone. */
export default function PhoneMenu({ groups, name, onClose }: Props) {
  const path = usePath();
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="phone-menu">
          <Dialog.Title className="vh">{shell.nav.more}</Dialog.Title>
          {groups.map((group) => (
            <section key={group.title ?? ""} aria-label={group.title}>
              {group.title && <h2>{group.title}</h2>}
              {group.items.map(({ path: at, label, icon: Icon }) => (
                <Link key={at} to={path(at)} className="nav" onClick={onClose}>
                  <Icon className="i" aria-hidden />
                  <span>{label}</span>
                </Link>
              ))}
            </section>
          ))}
          <Link to="/me" className="nav" onClick={onClose}>
            <span>{name}</span>
          </Link>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
