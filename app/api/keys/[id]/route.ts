import { revokeKeyContract } from "@/lib/contracts/revoke-key";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { revokeKey } from "@/lib/services/revoke-key";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(bindRoute(revokeKey, revokeKeyContract));
