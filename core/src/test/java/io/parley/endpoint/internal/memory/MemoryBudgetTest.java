package io.parley.endpoint.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.EndpointLimits;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.transport.EndpointAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The tree of budgets: process, endpoint, host, peer, connection. */
class MemoryBudgetTest {

    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS.toBuilder()
            .windowBytes(EndpointLimits.MIN_WINDOW_BYTES)
            .peerMemoryBytes(100_000)
            .totalMemoryBytes(400_000)
            .build();
    private static final PeerId ALICE = Identity.generate().peerId();
    private static final PeerId BOB = Identity.generate().peerId();
    private static final EndpointAddress HOME = EndpointAddress.parse("tcp://192.0.2.1:5");
    private static final EndpointAddress ELSEWHERE = EndpointAddress.parse("tcp://192.0.2.9:5");
    private static final Runnable NOTHING = () -> {};
    private static final long INTERVAL = MemoryBudget.RECLAIM_INTERVAL.toNanos();

    private final MemoryBudget process = MemoryBudget.root("process", 1_000_000);
    private final BudgetTree tree = new BudgetTree(LIMITS, process);

    @Test
    void reservation_isChargedToEveryBudgetAbove_andRefusedByEach() {
        MemoryBudget first = tree.newConnection(HOME, ALICE, NOTHING);
        MemoryBudget second = tree.newConnection(HOME, ALICE, NOTHING);
        assertThat(first.tryReserve(60_000)).isTrue();
        assertThat(second.tryReserve(60_000)).as("of the same peer").isFalse();
        assertThat(second.describeShortage(60_000))
                .contains("peerMemoryBytes: 60000 of 100000 bytes in use, 60000 more needed");
        assertThat(second.tryReserve(40_000)).isTrue();
        assertThat(tree.total().used()).isEqualTo(100_000);
        assertThat(process.used()).isEqualTo(100_000);
        first.release(60_000);
        second.release(40_000);
        assertThat(process.used()).isZero();
    }

    @Test
    void endpoints_shareTheProcess() {
        for (int i = 0; i < 10; i++) {
            BudgetTree other = new BudgetTree(LIMITS, process);
            assertThat(other.newConnection(HOME, ALICE, NOTHING).tryReserve(100_000))
                    .isTrue();
        }
        MemoryBudget late = tree.newConnection(HOME, ALICE, NOTHING);
        assertThat(late.tryReserve(1)).isFalse();
        assertThat(late.describeShortage(1)).startsWith("process: 1000000 of 1000000 bytes in use");
        assertThat(tree.total().used()).isZero();
    }

    /** Over a transport without authentication, anyone can claim a peer id. */
    @Test
    void peerIdThatIsClaimedElsewhere_usesNoMemoryOfThePeer() {
        MemoryBudget attacker = tree.newConnection(ELSEWHERE, ALICE, NOTHING);
        assertThat(attacker.tryReserve(100_000)).isTrue();
        assertThat(tree.newConnection(HOME, ALICE, NOTHING).tryReserve(100_000)).isTrue();
    }

    /** Identities cost nothing, so a host with many of them must not take the last of the memory. */
    @Test
    void hostWithManyPeers_leavesAFifthToOthers() {
        MemoryBudget honest = tree.newConnection(ELSEWHERE, BOB, NOTHING);
        int greedy = 0;
        String refusal = "";
        for (int i = 0; i < 10; i++) {
            MemoryBudget attacker = tree.newConnection(HOME, Identity.generate().peerId(), NOTHING);
            while (attacker.tryReserve(10_000)) {
                greedy += 10_000;
            }
            refusal = attacker.describeShortage(10_000);
        }
        assertThat(greedy).isEqualTo(320_000);
        assertThat(refusal).startsWith("totalMemoryBytes: 320000 of 400000 bytes in use, 320000 of them by this host");
        assertThat(honest.tryReserve(80_000)).as("the last fifth").isTrue();
    }

    private static long takeAll(MemoryBudget connection, int step) {
        long taken = 0;
        while (connection.tryReserve(step)) {
            taken += step;
        }
        return taken;
    }

    /** Memory of unread messages cannot be taken back, so the first hosts must not have the last of it. */
    @Test
    void hostsWithAllOfTheMemory_leaveTheReserveToHostsWithLittle() {
        long total = 64 << 20;
        long reserve = total / 16;
        int little = 128 * 1024;
        EndpointLimits limits = EndpointLimits.DEFAULTS.toBuilder()
                .peerMemoryBytes(total)
                .totalMemoryBytes(total)
                .build();
        BudgetTree large = new BudgetTree(limits, MemoryBudget.root("process", 2 * total));
        List<MemoryBudget> present = IntStream.range(0, 2)
                .mapToObj(i -> large.newConnection(EndpointAddress.parse("mem://host" + i), ALICE, NOTHING))
                .toList();
        present.forEach(host -> takeAll(host, 4096));
        assertThat(large.total().used()).isEqualTo(total);

        MemoryBudget latecomer = large.newConnection(HOME, BOB, NOTHING);
        assertThat(takeAll(latecomer, 8192)).isEqualTo(little);
        MemoryBudget another = large.newConnection(HOME, ALICE, NOTHING);
        assertThat(another.tryReserve(1)).as("of the same host").isFalse();
        assertThat(another.describeShortage(1))
                .startsWith("totalMemoryBytes: " + (total + little) + " of " + total + " bytes in use, 1 more needed");
        for (int i = 1; i < 32; i++) {
            MemoryBudget other = large.newConnection(EndpointAddress.parse("mem://late" + i), BOB, NOTHING);
            assertThat(takeAll(other, 8192)).isEqualTo(little);
        }
        assertThat(large.total().used()).isEqualTo(total + reserve);
        MemoryBudget last = large.newConnection(ELSEWHERE, BOB, NOTHING);
        assertThat(last.tryReserve(1)).isFalse();
        latecomer.release(8192);
        assertThat(last.tryReserve(8192)).isTrue();
    }

    @Test
    void singleHost_hasAllOfTheMemory_andNotTheReserve() {
        long taken = 0;
        for (int i = 0; i < 5; i++) {
            taken += takeAll(tree.newConnection(HOME, Identity.generate().peerId(), NOTHING), 1000);
        }
        assertThat(taken).isEqualTo(400_000);
        assertThat(tree.newConnection(ELSEWHERE, BOB, NOTHING).tryReserve(8192)).isTrue();
    }

    /** Event loops share the budgets, so a request that is refused must not be visible to another one. */
    @Test
    void refusedReservations_ofOtherThreads_doNotDisturb() throws InterruptedException {
        MemoryBudget honest = tree.newConnection(ELSEWHERE, BOB, NOTHING);
        for (int i = 0; i < 4; i++) {
            takeAll(tree.newConnection(HOME, Identity.generate().peerId(), NOTHING), 1000);
        }
        MemoryBudget greedy = tree.newConnection(EndpointAddress.parse("mem://greedy"), ALICE, NOTHING);
        assertThat(takeAll(greedy, 1000)).isEqualTo(80_000);
        MemoryBudget other = tree.newConnection(EndpointAddress.parse("mem://greedy"), BOB, NOTHING);
        AtomicBoolean ended = new AtomicBoolean();
        Thread thread = new Thread(() -> {
            while (!ended.get()) {
                other.tryReserve(100_000);
            }
        });
        thread.setDaemon(true);
        thread.start();
        int refused = 0;
        for (int i = 0; i < 1_000_000; i++) {
            if (honest.tryReserve(8192)) {
                honest.release(8192);
            } else {
                refused++;
            }
        }
        ended.set(true);
        thread.join();
        assertThat(refused).isZero();
    }

    /** If many hosts are present, an equal share may be smaller than one window. */
    @Test
    void hostWithLittle_isNotBoundToAnEqualShare() {
        for (int i = 0; i < 100; i++) {
            MemoryBudget host = tree.newConnection(EndpointAddress.parse("mem://host" + i), ALICE, NOTHING);
            assertThat(host.tryReserve(3_500)).isTrue();
        }
        assertThat(tree.newConnection(HOME, ALICE, NOTHING).tryReserve(8192)).isTrue();
        assertThat(tree.newConnection(ELSEWHERE, ALICE, NOTHING).tryReserve(8193))
                .isFalse();
    }

    @Test
    void reconnectedPeer_isStillChargedForUnreleasedMemory_andThenForgotten() {
        MemoryBudget lost = tree.newConnection(HOME, ALICE, NOTHING);
        assertThat(lost.tryReserve(80_000)).isTrue();
        lost.close();
        MemoryBudget next = tree.newConnection(HOME, ALICE, NOTHING);
        assertThat(next.tryReserve(30_000)).isFalse();
        lost.release(80_000);
        assertThat(next.tryReserve(30_000)).isTrue();
        next.close();
        assertThat(tree.total().childCount()).isEqualTo(1);
        next.release(30_000);
        assertThat(tree.total().childCount()).isZero();
        assertThat(process.childCount()).isEqualTo(1);
        tree.close();
        assertThat(process.childCount()).isZero();
    }

    @Test
    void spareMemory_isHalfOfWhatIsFree_inEachBudget() {
        MemoryBudget connection = tree.newConnection(HOME, ALICE, NOTHING);
        assertThat(connection.reserveSpare(1000, 3)).isEqualTo(1000);
        assertThat(connection.reserveSpare(1_000_000, 3)).isEqualTo((75_000 - 1000) / 2);
        assertThat(connection.reserveSpare(1_000_000, 1)).isZero();
        for (int i = 0; i < 3; i++) {
            MemoryBudget other = tree.newConnection(EndpointAddress.parse("mem://host" + i), BOB, NOTHING);
            assertThat(other.tryReserve(80_000)).isTrue();
        }
        assertThat(tree.total().used()).isEqualTo(278_000);
        assertThat(connection.reserveSpare(1_000_000, 3)).as("of the total").isEqualTo((300_000 - 278_000) / 2);
    }

    @Test
    void shortage_isReportedToTheConnectionsBelowIt_notTooOften() {
        AtomicInteger own = new AtomicInteger();
        AtomicInteger others = new AtomicInteger();
        MemoryBudget connection = tree.newConnection(HOME, ALICE, own::incrementAndGet);
        MemoryBudget other = tree.newConnection(HOME, BOB, others::incrementAndGet);
        connection.reclaim(0, 0);
        assertThat(own).hasValue(0);
        assertThat(connection.tryReserve(95_000)).isTrue();
        connection.reclaim(0, INTERVAL);
        connection.reclaim(0, 2 * INTERVAL - 1);
        assertThat(own).as("calls of the connection and of the peer").hasValue(2);
        assertThat(others).hasValue(0);
        connection.reclaim(0, 2 * INTERVAL);
        assertThat(own).hasValue(4);
        connection.reclaim(400_000, 2 * INTERVAL + 1);
        assertThat(others).as("of the host and the endpoint").hasValue(2);
        other.close();
        connection.reclaim(400_000, 4 * INTERVAL);
        assertThat(others).hasValue(2);
    }
}
