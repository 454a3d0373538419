package io.parley.examples.attack;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.endpoint.ServiceAddress;
import io.parley.id.GroupId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Queries of attackers to the resolvers of a peer: see {@code docs/wire-format.md}. */
final class ResolverQueries {

    /** The resolver of all rendezvous and clients. */
    static final ServiceAddress OVERLAY =
            new ServiceAddress("resolver", GroupId.ofName("parley rendezvous").text());

    private static final String HEADER = "parley.resolver";
    private static final String BODY = "parley.rendezvous";

    private ResolverQueries() {}

    /** Sends a query on a handle that is open to a resolver. */
    static void send(AttackClient client, int handle, String name, MessageElement... body) {
        Message.Builder query = Message.builder()
                .add(number(HEADER, "Ask", handle))
                .add(bytes(HEADER, "Name", name.getBytes(StandardCharsets.UTF_8)))
                .add(number(HEADER, "Time", Duration.ofSeconds(20).toMillis()));
        for (MessageElement element : body) {
            query.add(element);
        }
        ByteBuf encoded = MessageCodec.binary()
                .newSession(MessageLimits.DEFAULTS)
                .encode(query.build(), UnpooledByteBufAllocator.DEFAULT);
        client.sendMessage(handle, encoded);
    }

    /** Requests a lease. Returns the granted milliseconds: 0 if there are too many clients. */
    static CompletableFuture<Long> lease(AttackClient client) {
        CompletableFuture<Long> granted = new CompletableFuture<>();
        client.onMessage(response -> {
            OptionalLong time = number(response, BODY, "Time");
            if (time.isPresent()) {
                granted.complete(time.getAsLong());
            } else {
                granted.completeExceptionally(new IllegalStateException("no lease: "
                        + response.element(HEADER, "Text")
                                .map(MessageElement::text)
                                .orElse("")));
            }
        });
        client.open(1, OVERLAY, "binary");
        send(
                client,
                1,
                "lease",
                number(BODY, "Time", Duration.ofMinutes(10).toMillis()),
                bytes(BODY, "Group", GroupId.NET.toByteArray()));
        return granted;
    }

    /** Publishes documents on a client with a lease. Returns the reason why one is refused; empty if all are accepted. */
    static CompletableFuture<String> publish(AttackClient client, List<byte[]> documents) {
        CompletableFuture<String> reason = new CompletableFuture<>();
        client.onMessage(response -> reason.complete(response.elements().stream()
                .filter(element -> element.name().equals("Text"))
                .map(MessageElement::text)
                .collect(Collectors.joining())));
        send(
                client,
                1,
                "publish",
                documents.stream().map(document -> bytes(BODY, "Doc", document)).toArray(MessageElement[]::new));
        return reason;
    }

    static MessageElement bytes(String namespace, String name, byte[] value) {
        return MessageElement.of(namespace, name, MessageElement.TYPE_BYTES, Payload.of(value));
    }

    private static MessageElement number(String namespace, String name, long value) {
        return bytes(
                namespace, name, ByteBuffer.allocate(Long.BYTES).putLong(value).array());
    }

    private static OptionalLong number(Message message, String namespace, String name) {
        return message.element(namespace, name)
                .map(element ->
                        OptionalLong.of(ByteBuffer.wrap(element.toByteArray()).getLong()))
                .orElse(OptionalLong.empty());
    }
}
