package io.parley.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PipeId;
import io.parley.pipes.PipeTicket;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Services that are not for every peer. */
class SocketAdmissionTest {

    private static final Duration SOON = SocketPeers.SOON;

    private final SocketPeers peers = SocketPeers.inMemory();

    @AfterEach
    void close() {
        peers.close();
    }

    private static void checkByte(PeerServerSocket server, PeerSocket socket) throws IOException {
        try (socket;
                PeerSocket accepted = server.accept()) {
            socket.getOutputStream().write(7);
            assertThat(accepted.getInputStream().read()).isEqualTo(7);
        }
    }

    @Test
    void peerThatIsNotAllowed_isRefused_byNameAndByTicket() throws Exception {
        PeerSockets alice = peers.ofAlice();
        PeerSockets bob = peers.ofBob();
        try (PeerServerSocket others =
                        alice.withAllowedPeers(peers.alice.id()::equals).listen("others");
                PeerServerSocket bobs =
                        alice.withAllowedPeers(peers.bob.id()::equals).listen("bobs")) {
            checkByte(bobs, bob.connect("bobs", SOON));
            assertThatThrownBy(() -> bob.connect("others", SOON)).satisfies(SocketAdmissionTest::isRefused);
            assertThatThrownBy(() -> bob.connect(others.ticket(), "others", SOON))
                    .satisfies(SocketAdmissionTest::isRefused);
            others.setSoTimeout(1);
            assertThatThrownBy(others::accept).isInstanceOf(SocketTimeoutException.class);
        }
    }

    private static void isRefused(Throwable failure) {
        assertThat(failure)
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("does not allow this peer")
                .cause()
                .isInstanceOfSatisfying(
                        ParleyException.class, cause -> assertThat(cause.code()).isEqualTo(ErrorCode.IDENTITY_REFUSED));
    }

    @Test
    void serviceOfAPipeId_isNotFoundByName_butByItsTicket() throws Exception {
        PipeId pipe = PipeId.random(peers.alice.netGroup().id());
        try (PeerServerSocket server = peers.ofAlice().listen(pipe, "secret")) {
            PeerSockets bob = peers.ofBob();
            checkByte(server, bob.connect(server.ticket(), "secret", SOON));
            assertThatThrownBy(() -> bob.connect("secret", Duration.ofMillis(300)))
                    .isInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(() -> bob.connect(peers.alice.id(), "secret", SOON))
                    .isInstanceOf(ConnectException.class);
        }
    }

    @Test
    void ticket_needsNoSearch() throws Exception {
        try (Peer alice = Peer.loopback().start();
                Peer bob = Peer.loopback().start();
                PeerServerSocket server = PeerSockets.of(alice).listen("echo")) {
            PipeTicket ticket = new PipeTicket(server.ticket().pipe(), alice.address());
            checkByte(server, PeerSockets.of(bob).connect(ticket, "echo", SOON));
            assertThat(bob.metrics()).containsEntry("parley.discovery.remote.searches", 0L);
        }
    }
}
