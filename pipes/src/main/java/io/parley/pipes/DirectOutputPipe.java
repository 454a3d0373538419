package io.parley.pipes;

import io.parley.endpoint.Messenger;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An output pipe to one holder: a messenger to the service that the pipe id names. Messages are sent unchanged. Thread-safe. */
final class DirectOutputPipe implements OutputPipe {

    private final PipeId id;
    private final Messenger messenger;

    DirectOutputPipe(PipeId id, Messenger messenger) {
        this.id = id;
        this.messenger = messenger;
    }

    @Override
    public PipeId id() {
        return id;
    }

    @Override
    public PeerId holder() {
        return messenger.peer();
    }

    @Override
    public CompletableFuture<Void> send(Message message) {
        return messenger.send(message);
    }

    @Override
    public void send(Message message, Duration timeout) throws InterruptedException {
        messenger.send(message, timeout);
    }

    @Override
    public Optional<String> codec() {
        return messenger.codec();
    }

    @Override
    public boolean isWritable() {
        return messenger.isWritable();
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        return messenger.whenWritable();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return messenger.closeAsync();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return messenger.whenClosed();
    }

    @Override
    public boolean isClosing() {
        return messenger.isClosing();
    }

    @Override
    public void close() {
        messenger.close();
    }

    @Override
    public String toString() {
        return "OutputPipe " + id + " to " + holder().shortText();
    }
}
