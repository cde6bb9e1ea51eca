import { getAuthNonceContract } from "@/lib/contracts/get-auth-nonce";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getAuthNonce } from "@/lib/services/get-auth-nonce";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(getAuthNonce, getAuthNonceContract),
);
