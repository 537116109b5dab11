// What drawing needs beside the tokens.

import type { AssetUrls } from "./asset_urls";
import type { FormulaDrawer } from "./formulas";
import type { ModelButton } from "./model_button";
import type { Env, Token } from "./parser";

export interface Kit {
  assets: AssetUrls;
  formulas: FormulaDrawer;
  /** The code that draws diagrams, as text for a frame. */
  loadMermaid: () => Promise<string>;
  onButton: (button: ModelButton) => void;
}

/** For one block: its references, and whether the text may go on in it. */
export interface At {
  kit: Kit;
  env: Env;
  open: boolean;
}

/** Whether a formula is still being written. */
export const isOpen = (token: Token, at: At): boolean => token.meta?.open === true || at.open;
