import { useShortcuts } from "../../lib/keyboard.tsx";
import { chooseTheme, type Theme, useTheme } from "../../lib/theme.ts";
import { account } from "../../texts/account.ts";
import { shell } from "../../texts/shell.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CheckField, ChoiceField } from "../../ui/form.tsx";

const texts = account.preferences;
const themes: readonly Theme[] = ["system", "light", "dark"];

export function Preferences() {
  const theme = useTheme();
  const { singleKeys, setSingleKeys, openHelp } = useShortcuts();
  return (
    <div className="parts">
      <p>{texts.lead}</p>
      <Card title={texts.theme} padded>
        <ChoiceField
          legend={<span className="vh">{texts.theme}</span>}
          value={theme}
          onChange={chooseTheme}
          options={themes.map((value) => ({
            value,
            label: shell.user.theme[value],
            hint: texts.themeHints[value],
          }))}
        />
      </Card>
      <Card title={texts.keyboard} padded>
        <CheckField
          label={shell.shortcuts.singleKeys}
          hint={shell.shortcuts.singleKeysHint}
          checked={singleKeys}
          onChange={setSingleKeys}
        />
        <div>
          <Button onClick={openHelp}>{texts.all}</Button>
        </div>
      </Card>
    </div>
  );
}
