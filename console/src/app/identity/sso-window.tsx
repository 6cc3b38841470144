import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { useServices } from "../../lib/context.tsx";
import { createSsoAddress } from "../../lib/sign-in.ts";
import { common } from "../../texts/common.ts";
import { identity as texts } from "../../texts/identity.ts";
import { Button } from "../../ui/button.tsx";

interface SsoWindowProps {
  start: string;
  email: string;
  reauthenticate?: boolean;
}

/** Single sign-on in another window, so that this page keeps what was entered. That window tells when it is done. */
export function SsoWindow({ start, email, reauthenticate = false }: SsoWindowProps) {
  const { identity } = useServices();
  const [isWaiting, setIsWaiting] = useState(false);
  const open = () => {
    const address = createSsoAddress(start, { email, returnTo: "/sign-in?done=1", reauthenticate });
    window.open(address, "_blank", "noopener");
    setIsWaiting(true);
  };
  return (
    <>
      <p role="status">{isWaiting ? texts.ssoWaiting : texts.sso}</p>
      <footer className="row dlg-acts">
        <Button onClick={() => identity.answer(false)}>{common.actions.cancel}</Button>
        <Button look="primary" icon={ExternalLink} onClick={open}>
          {texts.ssoAction}
        </Button>
      </footer>
    </>
  );
}
