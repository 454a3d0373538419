package io.parley.endpoint.internal.inbound;

import io.parley.error.ErrorCode;

/** A channel of a link without messages, which gives up a sequence immediately. */
final class IdleHolder implements InboundSequence.Holder {

    @Override
    public int handle() {
        return 1;
    }

    @Override
    public void detach(Runnable after) {
        after.run();
    }

    @Override
    public void refuse(ErrorCode code, String text) {}
}
