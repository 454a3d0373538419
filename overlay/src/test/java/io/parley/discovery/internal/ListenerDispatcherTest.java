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
import org.junit.jupiter.api.Test;

class ListenerDispatcherTest {

    @Test
    void failureOfAListener_isPrintableInTheLog() {
        SignedAdvertisement hostile = new AdvertisementSigner(
                        Identity.generate(),
                        AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS),
                        new ManualClock(Instant.parse("2026-11-21T12:00:00Z")))
                .sign(
                        new PipeAdvertisement(
                                AdvertisementId.of(PipeId.ofName(GroupId.NET, "chat")),
                                PipeType.UNICAST,
                                HostileText.XML_TEXT,
                                null),
                        GroupId.NET);
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
}
