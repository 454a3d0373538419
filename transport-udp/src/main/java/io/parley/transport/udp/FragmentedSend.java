package io.parley.transport.udp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.parley.error.ErrorCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A message on its way out: all its pieces by one interface, then by the next. For the loop's thread. */
final class FragmentedSend {

    private final MessageKey key;
    private final byte[] message;
    private final List<InterfaceSender> senders;
    private final CompletableFuture<Void> done;
    private final int pieces;
    private int begun;
    private int ended;
    private int sent;
    private @Nullable Throwable lastFailure;

    FragmentedSend(MessageKey key, byte[] message, List<InterfaceSender> senders, CompletableFuture<Void> done) {
        this.key = key;
        this.message = message;
        this.senders = senders;
        this.done = done;
        this.pieces = Datagram.pieces(message.length);
    }

    boolean hasMore() {
        return begun < pieces * senders.size();
    }

    void sendNext() {
        InterfaceSender sender = senders.get(begun / pieces);
        ByteBuf datagram = sender.channel().alloc().buffer(Datagram.MAX_BYTES);
        Datagram.write(datagram, key, begun % pieces, message);
        begun++;
        sender.send(datagram).addListener((ChannelFuture written) -> {
            if (written.isSuccess()) {
                sent++;
            } else {
                lastFailure = written.cause();
            }
            if (++ended == pieces * senders.size()) {
                end();
            }
        });
    }

    private void end() {
        if (sent >= pieces) { // by one interface, at least, if failures are of interfaces
            done.complete(null);
        } else {
            done.completeExceptionally(ErrorCode.UNREACHABLE.exception("no interface could send", lastFailure));
        }
    }

    void fail(RuntimeException failure) {
        done.completeExceptionally(failure);
    }
}
