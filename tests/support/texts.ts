import { authText, linkText, SANDBOX_DEPLOYMENT, serviceWalletText } from "../../lib/domain/texts";

/** The texts of the sandbox, which most tests play in. */
export const AUTH_TEXT = authText(SANDBOX_DEPLOYMENT);
export const SERVICE_WALLET_TEXT = serviceWalletText(SANDBOX_DEPLOYMENT);
export const LINK_TEXT = linkText(SANDBOX_DEPLOYMENT);
