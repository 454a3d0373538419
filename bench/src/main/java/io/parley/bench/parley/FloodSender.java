package io.parley.bench.parley;

import io.parley.message.Message;

/**
 * Sends while the pipe or messenger is writable and continues when it becomes writable again: on the thread that
 * completes the future, as the handlers of raw Netty do. Must not run on two threads at the same time.
 */
final class FloodSender implements Runnable {

    private final MeasuredLayer.Sender sender;
    private final Message sink;
    private final Message last;
    private long remainingSinks;

    FloodSender(MeasuredLayer.Sender sender, Message sink, long sinks, Message last) {
        this.sender = sender;
        this.sink = sink;
        this.remainingSinks = sinks;
        this.last = last;
    }

    @Override
    public void run() {
        while (sender.isWritable().getAsBoolean()) {
            if (remainingSinks == 0) {
                sender.send().accept(last);
                return;
            }
            remainingSinks--;
            sender.send().accept(sink);
        }
        sender.whenWritable().get().thenRun(this);
    }
}
