package io.parley.pipes.internal.work;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import io.parley.pipes.WorkQueue;
import io.parley.testkit.Eventually;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A worker that confirms a task when the test wants. */
final class ManualWorker {

    private final Peer peer;
    private final BlockingQueue<PipeMessage> tasks = new LinkedBlockingQueue<>();

    ManualWorker(Peer peer, WorkQueue queue) {
        this.peer = peer;
        Pipes.of(peer).listen(queue.id(), tasks::add, Runnable::run);
        peer.netGroup().discovery().publish(PipeAdvertisement.of(queue.id(), PipeType.UNICAST, queue.name()));
    }

    PeerId id() {
        return peer.id();
    }

    Peer peer() {
        return peer;
    }

    /** Returns the number of tasks that have arrived, and were not taken. */
    int waiting() {
        return tasks.size();
    }

    /** Waits for the next task. */
    PipeMessage next() throws InterruptedException {
        PipeMessage task = tasks.poll(Eventually.DEADLINE.toSeconds(), TimeUnit.SECONDS);
        if (task == null) {
            throw new AssertionError("no task at " + peer);
        }
        return task;
    }

    void confirmNext() throws InterruptedException {
        next().respond(Message.EMPTY);
    }
}
