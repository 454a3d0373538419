package io.parley.examples.attack;

import io.parley.Peer;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A peer with one codec that sends large messages, within all rules of the protocol. */
final class LargeMessageSender implements AutoCloseable {

    private static final long TIMEOUT_SECONDS = 120;

    private final AddressForwarder forwarder;
    private final Peer peer;
    private final AttackedPeer attacked;

    /** @param from the address from which the peer connects */
    LargeMessageSender(String from, String codec, AttackedPeer attacked) throws IOException {
        this.attacked = attacked;
        this.forwarder = new AddressForwarder(from, attacked.socketAddress());
        this.peer = Peer.builder().name("large").codecs(codec).multicast(false).start();
        peer.addPeerAddress(attacked.id(), "tcp://127.0.0.1:" + forwarder.port());
        Eventually.get(peer.endpoint().connect(attacked.id()), "the connection of " + from);
    }

    /** Sends a message. Returns a future of "delivered", or of the code and the message of the failure. */
    CompletableFuture<String> send(byte[] content) {
        return peer.endpoint()
                .send(attacked.id(), AttackedPeerProcess.READ, Message.of("data", content))
                .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .handle((sent, failure) -> failure == null ? "delivered" : describe(failure));
    }

    private static String describe(Throwable failure) {
        Throwable cause = ParleyException.unwrap(failure);
        return cause instanceof ParleyException known ? known.code() + ": " + known.getMessage() : cause.toString();
    }

    @Override
    public void close() {
        peer.close();
        forwarder.close();
    }
}
