package io.parley.discovery.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.HostileText;
import io.parley.testkit.ManualClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ListenerDispatcherTest {

    @Test
    void failureOfAListener_isPrintableInTheLog() {
        SignedAdvertisement hostile = signed(HostileText.XML_TEXT);
        ListenerDispatcher dispatcher = new ListenerDispatcher(
                found -> {
                    throw new NumberFormatException(HostileText.TEXT);
                },
                Runnable::run,
                new DiscoveryMetrics(),
                1);
        try (CapturedLog log = new CapturedLog()) {
            dispatcher.add(hostile);
            dispatcher.run();
            assertThat(log.lines("Listener failed on")).hasSize(1);
            HostileText.assertPrintableLines(String.join("\n", log.lines("")));
        }
    }

    @Test
    void executorThatFailsOnce_deliversWhatIsFoundLater() {
        List<SignedAdvertisement> heard = new ArrayList<>();
        AtomicBoolean fails = new AtomicBoolean(true);
        ListenerDispatcher dispatcher = new ListenerDispatcher(
                heard::add,
                task -> {
                    if (fails.getAndSet(false)) {
                        throw new InternalError("no thread (of the test)");
                    }
                    task.run();
                },
                new DiscoveryMetrics(),
                10);
        AtomicInteger ends = new AtomicInteger();

        dispatcher.add(signed("lost"));
        try {
            dispatcher.run();
        } catch (InternalError e) {
            assertThat(e).hasMessage("no thread (of the test)");
        }
        SignedAdvertisement later = signed("later");
        dispatcher.add(later);
        dispatcher.run();
        dispatcher.end(ends::incrementAndGet);

        assertThat(heard).containsExactly(later);
        assertThat(ends).hasValue(1);
    }

    private static SignedAdvertisement signed(String name) {
        return new AdvertisementSigner(
                        Identity.generate(),
                        AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS),
                        new ManualClock(Instant.parse("2026-11-21T12:00:00Z")))
                .sign(
                        new PipeAdvertisement(
                                AdvertisementId.of(PipeId.ofName(GroupId.NET, "chat")), PipeType.UNICAST, name, null),
                        GroupId.NET);
    }
}
