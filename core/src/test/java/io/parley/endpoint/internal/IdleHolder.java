package io.parley.endpoint.internal;

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
}
