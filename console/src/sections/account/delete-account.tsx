import { useState } from "react";
import { RefusedError } from "../../lib/api.ts";
import { useAction } from "../../lib/queries.ts";
import { account } from "../../texts/account.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { CheckField } from "../../ui/form.tsx";

const texts = account.remove;

interface Organization {
  name: string;
  slug: string;
}

/** Organizations without other members are deleted too. The server names them, and the person agrees to each. */
export function DeleteAccount({ email }: { email: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const [alone, setAlone] = useState<readonly Organization[]>([]);
  const [isAgreed, setIsAgreed] = useState(false);
  const remove = useAction("DELETE /v1/me");
  const names = alone.map(({ name }) => name).join(", ");
  const confirm = async () => {
    if (alone.length > 0 && !isAgreed) throw new Error(texts.notChecked);
    const slugs = alone.map(({ slug }) => slug);
    try {
      await remove.run({
        body: { confirm: email, ...(slugs.length > 0 ? { deleteOrganizations: slugs } : {}) },
      });
    } catch (error) {
      if (error instanceof RefusedError && error.code === "organizations_would_be_deleted") {
        const found = error.body.organizations as Organization[];
        setAlone((before) => [...before, ...found]);
        setIsAgreed(false);
        throw new Error(texts.withOrganizations(found.map(({ name }) => name).join(", ")));
      }
      throw error;
    }
    window.location.assign("/sign-in");
  };
  return (
    <Card title={texts.title} padded>
      <p>{texts.text}</p>
      <div>
        <Button look="destructive" onClick={() => setIsOpen(true)}>
          {texts.action}
        </Button>
      </div>
      <ConfirmDialog
        open={isOpen}
        onClose={() => setIsOpen(false)}
        title={texts.confirmTitle}
        text={texts.text}
        action={texts.action}
        typeName={email}
        onConfirm={confirm}
      >
        {alone.length > 0 && (
          <CheckField label={texts.also(names)} checked={isAgreed} onChange={setIsAgreed} />
        )}
      </ConfirmDialog>
    </Card>
  );
}
