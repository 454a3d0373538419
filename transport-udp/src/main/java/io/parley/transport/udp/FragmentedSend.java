package io.parley.transport.udp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.parley.error.ErrorCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Sends the fragments of one message, by one interface after another. Must be used on the event loop. */
final class FragmentedSend {

    private final MessageKey key;
    private final byte[] message;
    private final List<InterfaceSender> senders;
    private final CompletableFuture<Void> done;
    private final int fragments;
    private int started;
    private int ended;
    private int sent;
    private @Nullable Throwable lastFailure;

    FragmentedSend(MessageKey key, byte[] message, List<InterfaceSender> senders, CompletableFuture<Void> done) {
        this.key = key;
        this.message = message;
        this.senders = senders;
        this.done = done;
        this.fragments = Datagram.fragments(message.length);
    }

    boolean hasMore() {
        return started < fragments * senders.size();
    }

    void sendNext() {
        InterfaceSender sender = senders.get(started / fragments);
        ByteBuf datagram = sender.channel().alloc().buffer(Datagram.MAX_BYTES);
        Datagram.write(datagram, key, started % fragments, message);
        started++;
        sender.send(datagram).addListener((ChannelFuture written) -> {
            if (written.isSuccess()) {
                sent++;
            } else {
                lastFailure = written.cause();
            }
            if (++ended == fragments * senders.size()) {
                end();
            }
        });
    }

    private void end() {
        if (sent >= fragments) { // complete on at least one interface, if failures are per interface
            done.complete(null);
        } else {
            done.completeExceptionally(
                    ErrorCode.UNREACHABLE.exception("UDP multicast: no interface could send", lastFailure));
        }
    }

    void fail(RuntimeException failure) {
        done.completeExceptionally(failure);
    }
}
