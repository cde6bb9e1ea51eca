# beside a running server: a throwaway wallet, signed in
eval "$(npm run -s wallet)"

curl -s $BASE/api/roundup -H "x-wallet: $WALLET" -H "x-signature: $SIGNATURE" \
  -H "content-type: application/json" -d '{"txValueUsd":27.63,"plan":"tree"}'
