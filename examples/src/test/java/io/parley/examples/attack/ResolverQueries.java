package io.parley.examples.attack;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.endpoint.ServiceAddress;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Messages of attackers to the resolvers and to the groups of a peer: see {@code docs/wire-format.md}. */
final class ResolverQueries {

    /** The resolver of all rendezvous and clients. */
    static final ServiceAddress OVERLAY =
            new ServiceAddress("resolver", GroupId.ofName("parley rendezvous").text());

    /** The service of a rendezvous for messages to a group. */
    static final ServiceAddress GROUP_MESSAGES = ServiceAddress.of("rendezvous");

    private static final String HEADER = "parley.resolver";
    private static final String BODY = "parley.rendezvous";
    private static final String DISCOVERY = "parley.discovery";

    /** The number, the time, the sender, the group, two lengths and a count. */
    private static final int GROUP_MESSAGE_BYTES = 8 + 8 + PeerId.BYTES + GroupId.BYTES + 2 + 2 + 1;

    private static final int SENDER_OFFSET = 8 + 8;

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
        client.sendMessage(handle, Unpooled.wrappedBuffer(encode(query.build())));
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
        requestLease(client);
        return granted;
    }

    /** Requests a lease on handle 1 and does not wait for the response. */
    static void requestLease(AttackClient client) {
        send(
                client,
                1,
                "lease",
                number(BODY, "Time", Duration.ofMinutes(10).toMillis()),
                bytes(BODY, "Group", GroupId.NET.toByteArray()));
    }

    /** Searches the index on a client with a lease. Returns the number of documents in the response: 0 or 1. */
    static CompletableFuture<Long> find(AttackClient client, String pattern) {
        CompletableFuture<Long> found = new CompletableFuture<>();
        client.onMessage(response -> found.complete(response.elements().stream()
                .filter(element -> element.name().equals("Doc"))
                .count()));
        send(
                client,
                1,
                "find",
                text("Attribute", "Name"),
                text("Pattern", pattern),
                number(DISCOVERY, "Limit", 1),
                bytes(BODY, "Group", GroupId.NET.toByteArray()),
                number(BODY, "Time", Duration.ofSeconds(10).toMillis()));
        return found;
    }

    private static MessageElement text(String name, String value) {
        return bytes(DISCOVERY, name, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends peer view entries on a handle that is open to the resolver of the rendezvous. */
    static void sendEntries(AttackClient client, List<byte[]> entries) {
        send(client, 1, "view", elements(entries));
    }

    /** Sends a message to the net group on a handle that is open to {@link #GROUP_MESSAGES}. */
    static void sendToGroup(AttackClient client, int handle, long number, String text) {
        byte[] service = "gossip".getBytes(StandardCharsets.UTF_8);
        byte[] body = encode(Message.of("text", text));
        byte[] unsigned = ByteBuffer.allocate(GROUP_MESSAGE_BYTES + service.length + body.length)
                .putLong(number)
                .putLong(System.currentTimeMillis())
                .put(client.identity().peerId().toByteArray())
                .put(GroupId.NET.toByteArray())
                .putShort((short) service.length)
                .put(service)
                .putShort((short) 0)
                .put((byte) 0)
                .put(body)
                .array();
        byte[] signature =
                client.identity().sign(join("parley-rendezvous-1\0".getBytes(StandardCharsets.US_ASCII), unsigned));
        Message message = Message.builder()
                .add(bytes(BODY, "Said", join(unsigned, signature)))
                .add(number(BODY, "Ttl", 2))
                .build();
        client.sendMessage(handle, Unpooled.wrappedBuffer(encode(message)));
    }

    /** Returns the sender of a group message. */
    static PeerId sender(Message message) {
        byte[] said = message.element(BODY, "Said").orElseThrow().toByteArray();
        return PeerId.ofBytes(Arrays.copyOfRange(said, SENDER_OFFSET, SENDER_OFFSET + PeerId.BYTES));
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] joined = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, joined, first.length, second.length);
        return joined;
    }

    private static byte[] encode(Message message) {
        ByteBuf encoded = MessageCodec.binary()
                .newSession(MessageLimits.DEFAULTS)
                .encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            return ByteBufUtil.getBytes(encoded);
        } finally {
            encoded.release();
        }
    }

    private static MessageElement[] elements(List<byte[]> documents) {
        return documents.stream().map(document -> bytes(BODY, "Doc", document)).toArray(MessageElement[]::new);
    }

    /** Publishes documents on a client with a lease. Returns the reason why one is refused; empty if all are accepted. */
    static CompletableFuture<String> publish(AttackClient client, List<byte[]> documents) {
        CompletableFuture<String> reason = new CompletableFuture<>();
        client.onMessage(response -> reason.complete(response.elements().stream()
                .filter(element -> element.name().equals("Text"))
                .map(MessageElement::text)
                .collect(Collectors.joining())));
        send(client, 1, "publish", elements(documents));
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
