package io.parley.bench.parley;

import io.parley.message.Message;

/**
 * Sends as long as there is room, and goes on when there is again: on the thread that has made the room, as raw Netty's
 * handlers do. Runs on one thread at a time.
 */
final class FloodSender implements Runnable {

    private final MeasuredLayer.Sender sender;
    private final Message sink;
    private final Message last;
    private long sinksLeft;

    FloodSender(MeasuredLayer.Sender sender, Message sink, long sinks, Message last) {
        this.sender = sender;
        this.sink = sink;
        this.sinksLeft = sinks;
        this.last = last;
    }

    @Override
    public void run() {
        while (sender.isWritable().getAsBoolean()) {
            if (sinksLeft == 0) {
                sender.send().accept(last);
                return;
            }
            sinksLeft--;
            sender.send().accept(sink);
        }
        sender.whenWritable().get().thenRun(this);
    }
}
