import { UserRoundX } from "lucide-react";
import { identity as texts } from "../../texts/identity.ts";
import { Button } from "../../ui/button.tsx";
import { WholePage } from "../whole-page.tsx";

/** Stands in place of the page when another account was used since it was opened. Nothing of the first stays visible. */
export const OtherPerson = ({ email }: { email: string }) => (
  <div role="alert">
    <WholePage
      icon={UserRoundX}
      title={texts.replaced(email)}
      text={texts.replacedText}
      action={
        <Button look="primary" onClick={() => window.location.reload()}>
          {texts.reload}
        </Button>
      }
    />
  </div>
);
