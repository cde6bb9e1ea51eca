import { z } from "zod";
import { Address, Timestamp } from "./scalars";

/** Members of a key that may be shown at any time. The key's text is not among them. */
export const apiKeyMembers = {
  id: z.string(),
  wallet: Address,
  name: z.string().nullable(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
};
