package io.parley.group.internal.view;

import static io.parley.group.internal.view.GroupViewFixture.awaitCount;
import static io.parley.group.internal.view.GroupViewFixture.awaitNeighbors;
import static io.parley.group.internal.view.GroupViewFixture.count;
import static io.parley.group.internal.view.GroupViewFixture.group;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.MemberView;
import io.parley.group.internal.view.MemberViewCounters.Counter;
import io.parley.group.internal.view.TreeMessage.Gossip;
import io.parley.group.internal.view.TreeMessage.IHave;
import io.parley.group.internal.view.ViewMessage.Kind;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.rendezvous.internal.SignedGroupMessage;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.transport.PeerAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hostile peer without a view sends any messages to a member. */
@Timeout(120)
class GroupViewHostilePeerTest {

    private static final ServiceAddress NEWS = ServiceAddress.of("news");
    private static final GroupId GROUP = GroupId.ofName(GroupViewFixture.GROUP);
    private static final ServiceAddress MEMBERS = new ServiceAddress(GroupView.SERVICE, GROUP.text());

    private final GroupViewFixture fixture = new GroupViewFixture();
    private final CapturedLog log = new CapturedLog();
    private final Identity identity = Identity.generate();
    private final AdvertisementSigner signer = new AdvertisementSigner(
            identity, AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS), Clock.systemUTC());
    private final BlockingQueue<Kind> responses = new LinkedBlockingQueue<>();
    private final Queue<String> received = new ConcurrentLinkedQueue<>();
    private final List<ReceivedMessage> held = new ArrayList<>();
    private boolean holding;
    private Peer victim;
    private Peer hostile;
    private Messenger messenger;
    private long number;

    @BeforeEach
    void start() {
        victim = fixture.peer("victim");
        MemberView view = group(victim).members();
        view.listen(NEWS, (sender, message) -> received.add(message.text("text").orElseThrow()));
        hostile = fixture.peer("hostile", builder -> builder.identity(identity));
        hostile.endpoint().listen(MEMBERS, message -> {
            if (ViewMessageFormat.isViewMessage(message.message())) {
                responses.add(ViewMessageFormat.readKind(message.message()));
            }
            synchronized (held) {
                if (holding) {
                    held.add(message);
                    return;
                }
            }
            message.release();
        });
        Eventually.get(hostile.endpoint().connect(victim.endpoint().addresses().get(0)), "the connection");
        messenger = hostile.endpoint().messenger(victim.id(), MEMBERS);
        Eventually.until(
                () -> "the victim has no view",
                () -> messenger.resolve().handle((done, e) -> e == null).join());
    }

    @AfterEach
    void close() {
        fixture.close();
        log.close();
    }

    private void send(Message message) {
        Eventually.get(messenger.send(message), "sending a message");
    }

    private void send(Kind kind, byte[]... documents) {
        List<MemberEntry> entries = new ArrayList<>();
        for (byte[] document : documents) {
            entries.add(new MemberEntry(new PeerAddress(hostile.id(), List.of()), 0, 0, document));
        }
        send(ViewMessageFormat.write(new ViewMessage(kind, 1, entries)));
    }

    private byte[] sign(Advertisement advertisement, GroupId in) {
        return signer.sign(advertisement, in, Duration.ofMinutes(10), Duration.ofMinutes(10))
                .toByteArray();
    }

    private byte[] entry() {
        return sign(PeerAdvertisement.of(hostile.id(), GROUP, "hostile"), GROUP);
    }

    private void becomeNeighbor() {
        send(Kind.JOIN, entry());
        assertThat(Eventually.get(CompletableFuture.supplyAsync(this::nextResponse), "a response"))
                .isEqualTo(Kind.ACCEPT);
        assertThat(group(victim).members().neighbors()).contains(hostile.id());
    }

    private Kind nextResponse() {
        try {
            return responses.take();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Message gossip(GroupId in, long millis, boolean forged, Message content) {
        SignedGroupMessage signed =
                SignedGroupMessage.sign(identity, List.of(), number++, millis, in, NEWS, content, 1 << 20);
        byte[] bytes = signed.bytes().clone();
        if (forged) {
            bytes[bytes.length - 1] ^= 1;
        }
        return TreeMessageFormat.write(new Gossip(SignedGroupMessage.read(bytes)));
    }

    private Message gossip(String text) {
        return gossip(GROUP, System.currentTimeMillis(), false, Message.of("text", text));
    }

    @Test
    void peerThatIsNoNeighbor_isDisconnected_andCostsNoSignature() {
        byte[] invalid = {1, 2, 3};
        send(gossip(GROUP, 0, true, Message.of("text", "forged")));
        send(TreeMessageFormat.write(new IHave(List.of(new SignedGroupMessage.Key(hostile.id(), 1)))));
        for (Kind kind : List.of(Kind.SHUFFLE, Kind.SHUFFLE_RESPONSE)) {
            send(kind, invalid, invalid, invalid, invalid, invalid, invalid, invalid, invalid);
        }
        send(Kind.FORWARD_JOIN, invalid);
        send(Kind.ALIVE);
        for (int i = 0; i < 6; i++) {
            assertThat(nextResponse()).isEqualTo(Kind.DISCONNECT);
        }
        assertThat(count(victim, Counter.MEMBERS_MESSAGES_UNAUTHORIZED)).isEqualTo(6);
        assertThat(count(victim, Counter.MEMBERS_MESSAGES_REJECTED)).isZero();
        assertThat(count(victim, Counter.GROUPCASTS_REJECTED)).isZero();
        assertThat(received).isEmpty();
    }

    @Test
    void forgedEntries_areRejectedAndCounted() {
        byte[] broken = entry();
        broken[broken.length - 1] ^= 1;
        GroupId otherGroup = GroupId.ofName("other");
        Identity other = Identity.generate();
        byte[] ofAnother = new AdvertisementSigner(
                        other, AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS), Clock.systemUTC())
                .sign(PeerAdvertisement.of(other.peerId(), GROUP, "other"), GROUP)
                .toByteArray();
        List<byte[]> documents = List.of(
                new byte[0],
                new byte[] {1, 2, 3},
                new byte[MemberEntryFactory.MAX_BYTES + 1],
                broken,
                sign(PeerAdvertisement.of(hostile.id(), otherGroup, "hostile"), otherGroup),
                sign(PipeAdvertisement.of(PipeId.ofName(GROUP, "x"), PipeType.UNICAST, "x"), GROUP),
                ofAnother);
        for (byte[] document : documents) {
            send(Kind.JOIN, document);
            send(Kind.URGENT_NEIGHBOR, document);
        }
        send(Kind.JOIN);
        send(Kind.JOIN, entry(), entry());
        awaitCount(victim, Counter.MEMBERS_MESSAGES_REJECTED, 2 * documents.size() + 2);
        assertThat(group(victim).members().neighbors()).isEmpty();
        assertThat(responses).isEmpty();
        assertThat(log.lines("Rejected a message of peer")).hasSize(1);
        becomeNeighbor();
    }

    @Test
    void forgedOldAndForeignMessages_areRejectedAndCounted() {
        becomeNeighbor();
        long now = System.currentTimeMillis();
        long age = GroupcastSigner.MAX_AGE.plusMinutes(1).toMillis();
        Message content = Message.of("text", "hostile");
        send(gossip(GROUP, now, true, content));
        send(gossip(GROUP, now - age, false, content));
        send(gossip(GROUP, now + age, false, content));
        send(gossip(GroupId.ofName("other"), now, false, content));
        send(Message.of("text", "neither of the view nor of the tree"));
        send(gossip("valid"));
        Eventually.until(() -> "received " + received, () -> !received.isEmpty());
        assertThat(received).containsExactly("valid");
        assertThat(count(victim, Counter.GROUPCASTS_REJECTED)).isEqualTo(5);
        assertThat(count(victim, Counter.GROUPCASTS_RECEIVED)).isEqualTo(1);
    }

    private void hold(boolean value) {
        synchronized (held) {
            holding = value;
            if (!value) {
                held.forEach(ReceivedMessage::release);
                held.clear();
            }
        }
    }

    @Test
    void whenWritable_waitsWhileTheOnlyNeighborDoesNotRead() {
        becomeNeighbor();
        hold(true);
        MemberView view = group(victim).members();
        ParleyException failure = null;
        for (int sent = 1; failure == null; sent++) {
            try {
                view.groupcast(NEWS, Message.of("b", new byte[200 << 10]));
                awaitCount(victim, Counter.GROUPCASTS_SENT, sent); // so that none waits for the view itself
            } catch (ParleyException e) {
                failure = e;
            }
        }
        assertThat(failure.code()).isEqualTo(ErrorCode.QUEUE_FULL);
        CompletableFuture<Void> first = view.whenWritable();
        CompletableFuture<Void> second = view.whenWritable();
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        hold(false);
        Eventually.get(first, "room");
        Eventually.get(second, "room");
        view.groupcast(NEWS, Message.of("text", "later"));
    }

    /** Members that do not listen to the service pass it on without reading it, so its neighbor need not have seen the fault. */
    @Test
    void bodyThatCannotBeDecoded_isRejectedInTheNameOfItsSender() {
        becomeNeighbor();
        Identity author = Identity.generate();
        byte[] content = "no message of any format".getBytes(StandardCharsets.US_ASCII);
        SignedGroupMessage valid = SignedGroupMessage.sign(
                author,
                List.of(),
                number++,
                System.currentTimeMillis(),
                GROUP,
                NEWS,
                Message.of("text", "valid"),
                1 << 20);
        int header = valid.bytes().length - valid.body().length - Identity.SIGNATURE_BYTES;
        byte[] unsigned = concat(Arrays.copyOf(valid.bytes(), header), content);
        byte[] domain = "parley-rendezvous-1\0".getBytes(StandardCharsets.US_ASCII);
        byte[] signed = concat(unsigned, author.sign(concat(domain, unsigned)));
        send(TreeMessageFormat.write(new Gossip(SignedGroupMessage.read(signed))));
        awaitCount(victim, Counter.GROUPCASTS_REJECTED, 1);
        assertThat(count(victim, Counter.GROUPCASTS_RECEIVED)).isEqualTo(1);
        String rejection = "Rejected a message of peer " + author.peerId() + " to all members";
        Eventually.until(() -> "no line in the log", () -> log.lines(rejection).size() == 1);
        send(gossip("valid"));
        Eventually.until(() -> "received " + received, () -> !received.isEmpty());
        assertThat(received).containsExactly("valid");
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    @Test
    void floodOfJoins_isThrottled_andHonestMembersKeepTheirPlaces() {
        Peer honest = fixture.peer("honest");
        MemberView view = group(honest).members();
        awaitNeighbors(victim, honest);
        byte[] entry = entry();
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            Kind kind = i % 2 == 0 ? Kind.JOIN : Kind.DISCONNECT;
            sent.add(messenger.send(ViewMessageFormat.write(
                    kind == Kind.DISCONNECT
                            ? ViewMessage.of(kind)
                            : ViewMessage.of(
                                    kind, new MemberEntry(new PeerAddress(hostile.id(), List.of()), 0, 0, entry)))));
        }
        sent.forEach(each -> Eventually.get(each.exceptionally(e -> null), "the flood"));
        awaitCount(victim, Counter.MEMBERS_MESSAGES_THROTTLED, 1000);
        awaitNeighbors(victim, honest);
        view.groupcast(NEWS, Message.of("text", "honest"));
        Eventually.until(() -> "received " + received, () -> received.contains("honest"));
        assertThat(count(honest, Counter.MEMBERS_NEIGHBORS_REMOVED)).isZero();
    }

    @Test
    void messagesForASlowListener_areDroppedAtItsLimit() {
        CountDownLatch release = new CountDownLatch(1);
        Queue<PeerId> slow = new ConcurrentLinkedQueue<>();
        ServiceAddress service = ServiceAddress.of("slow");
        group(victim).members().listen(service, (sender, message) -> {
            Eventually.latch(release, "the end of the test");
            slow.add(sender);
        });
        becomeNeighbor();
        int bytes = 200 << 10;
        int count = 40;
        for (int i = 0; i < count; i++) {
            SignedGroupMessage signed = SignedGroupMessage.sign(
                    identity,
                    List.of(),
                    number++,
                    System.currentTimeMillis(),
                    GROUP,
                    service,
                    Message.of("b", new byte[bytes]),
                    1 << 20);
            send(TreeMessageFormat.write(new Gossip(signed)));
        }
        int most = 1 + GroupcastListeners.MAX_WAITING_BYTES / bytes;
        awaitCount(victim, Counter.GROUPCASTS_DROPPED, count - most);
        release.countDown();
        awaitCount(victim, Counter.GROUPCASTS_RECEIVED, count - count(victim, Counter.GROUPCASTS_DROPPED));
        Eventually.until(() -> "received " + slow.size(), () -> slow.size() >= most - 1);
        assertThat(slow).hasSizeLessThanOrEqualTo(most);
        assertThat(count(victim, Counter.GROUPCASTS_DROPPED)).isEqualTo(count - slow.size());
    }
}
