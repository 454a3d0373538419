package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.pipes.internal.request.PipeRequests;
import io.parley.testkit.ConfirmationProcess;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The process of one of two holders of a service is killed with SIGKILL under about 1,000 requests per second. */
@Timeout(120)
@Tag("extended")
class ServiceKillTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int REQUESTS = 2000;
    private static final int KILLED_AT = 700;

    /** The queue of a holder has room for all requests, because a machine that stalls for a second lets a smaller one fill. */
    private static final FlowLimits ALL_FIT =
            FlowLimits.builder().queueBytes(16 << 20).build();

    private static final long INTERVAL_NANOS = Duration.ofMillis(1).toNanos();

    private static CompletableFuture<PipeMessage> request(Pipes pipes, int number) {
        return pipes.requestAsync(
                "calc",
                Message.builder()
                        .add("number", Integer.toString(number))
                        .add("filling", new byte[1000])
                        .build(),
                TIMEOUT);
    }

    @Test
    void killedHolder_eachRequestEndsWithItsResponse_orIsLost() throws Exception {
        try (Peer rendezvous = Peer.builder()
                        .multicast(false)
                        .listen("tcp://127.0.0.1:0")
                        .actAsRendezvous()
                        .start();
                Peer requester = Peer.builder()
                        .multicast(false)
                        .rendezvous(rendezvous.endpoint().addresses().get(0).toString())
                        .listen("tcp://127.0.0.1:0")
                        .start();
                ConfirmationProcess killed = ServiceHolderProcess.start(
                        rendezvous.endpoint().addresses().get(0).toString());
                ConfirmationProcess other = ServiceHolderProcess.start(
                        rendezvous.endpoint().addresses().get(0).toString())) {
            Pipes pipes = Pipes.of(requester).withFlowLimits(ALL_FIT);
            Eventually.until(
                    () -> "the services are not published",
                    () -> Eventually.get(
                                            requester
                                                    .netGroup()
                                                    .discovery()
                                                    .find(
                                                            DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                                                                    .with("Name", "calc"),
                                                            new SearchOptions(
                                                                    Duration.ofMillis(300),
                                                                    2,
                                                                    SearchOptions.Scope.LOCAL_AND_REMOTE)),
                                            "a search")
                                    .size()
                            == 2);
            Eventually.until(() -> "a holder gets no requests", () -> {
                List<CompletableFuture<PipeMessage>> both = List.of(request(pipes, -1), request(pipes, -2));
                both.forEach(response -> Eventually.get(response, "a request before the kill"));
                return killed.confirmed() > 0 && other.confirmed() > 0;
            });
            List<CompletableFuture<PipeMessage>> responses = new ArrayList<>();
            long[] endNanos = new long[REQUESTS];
            long[] startNanos = new long[REQUESTS];
            for (int i = 0; i < REQUESTS; i++) {
                int number = i;
                startNanos[i] = System.nanoTime();
                responses.add(request(pipes, i).whenComplete((done, failure) -> endNanos[number] = System.nanoTime()));
                if (i == KILLED_AT) {
                    killed.close();
                }
                // the rate of the requests, on which no assertion depends
                LockSupport.parkNanos(startNanos[0] + (i + 1) * INTERVAL_NANOS - System.nanoTime());
            }
            Eventually.until(
                    () -> responses.stream()
                                    .filter(response -> !response.isDone())
                                    .count() + " requests hang",
                    () -> responses.stream().allMatch(CompletableFuture::isDone));
            int lost = 0;
            for (int i = 0; i < REQUESTS; i++) {
                CompletableFuture<PipeMessage> response = responses.get(i);
                if (response.isCompletedExceptionally()) {
                    Throwable failure = response.handle((done, cause) -> ParleyException.unwrap(cause))
                            .join();
                    assertThat(failure).isInstanceOfSatisfying(ParleyException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.LOST);
                        assertThat(e.getMessage()).contains("may have");
                    });
                    lost++;
                } else {
                    assertThat(response.join().text("number")).contains(Integer.toString(i));
                }
            }
            report(responses, startNanos, endNanos, lost);
            assertThat(lost).as("requests that were lost").isLessThan(REQUESTS - KILLED_AT);
            assertThat(responses.subList(REQUESTS - 100, REQUESTS))
                    .as("requests long after the kill")
                    .noneMatch(CompletableFuture::isCompletedExceptionally);
            assertThat(PipeRequests.of(requester.netGroup())
                            .client(PipeSecurity.PLAIN)
                            .pending())
                    .isEmpty();
        }
    }

    private static void report(List<CompletableFuture<PipeMessage>> responses, long[] starts, long[] ends, int lost) {
        long longestBefore = 0;
        long longest = 0;
        long lastLoss = starts[KILLED_AT];
        for (int i = 0; i < REQUESTS; i++) {
            boolean failed = responses.get(i).isCompletedExceptionally();
            long nanos = ends[i] - starts[i];
            longestBefore = i < KILLED_AT - 100 ? Math.max(longestBefore, nanos) : longestBefore;
            longest = failed ? longest : Math.max(longest, nanos);
            lastLoss = failed ? Math.max(lastLoss, ends[i]) : lastLoss;
        }
        double seconds = (starts[REQUESTS - 1] - starts[0]) / 1e9;
        System.out.printf(
                "service kill: %.0f requests per second; %d lost, the last one %.0f ms after the kill; the longest response took"
                        + " %.0f ms, and %.0f ms long before the kill%n",
                REQUESTS / seconds, lost, (lastLoss - starts[KILLED_AT]) / 1e6, longest / 1e6, longestBefore / 1e6);
    }
}
