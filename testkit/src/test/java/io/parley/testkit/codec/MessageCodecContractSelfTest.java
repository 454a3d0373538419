package io.parley.testkit.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.parley.codec.MessageCodec;
import io.parley.testkit.codec.RememberingCodec.Fault;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** The contract finds codecs that break it. */
final class MessageCodecContractSelfTest {
    private static final ThreadLocal<Fault> FAULT = new ThreadLocal<>();

    @ParameterizedTest
    @CsvSource({
        "REMEMBERS_WITHOUT_END, session_ofEverNewNames_remembersNoMoreThanItsCodecSays",
        "REMEMBERS_WHAT_FAILED, encode_thatFailsInMidSession_leavesBothSidesInStep",
        "REMEMBERS_WHAT_FAILED, encode_fileThatShrankInMidSession_leavesBothSidesInStep",
        "REMEMBERS_WHAT_FAILED, limits_inOneSession_areThoseOfEachMessage",
        "REMEMBERS_WHAT_IS_MEASURED, encodedSize_inMidSession_isExactOrUnknownAndChangesNothing",
        "REMEMBERS_FOR_ALL_SESSIONS, newSession_knowsNothingOfOthers",
        "SAYS_IT_REMEMBERS_NOTHING, session_ofEverNewNames_remembersNoMoreThanItsCodecSays",
        "SAYS_IT_REMEMBERS_NOTHING, statelessSession_givesMessagesThatStandAlone"
    })
    void codecWithAFault_isFound(Fault fault, String test) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(Faulty.class, test))
                .build();
        LauncherConfig alone = LauncherConfig.builder()
                .enableLauncherSessionListenerAutoRegistration(false)
                .enableTestExecutionListenerAutoRegistration(false)
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        FAULT.set(fault);
        try {
            LauncherFactory.create(alone).execute(request, listener);
        } finally {
            FAULT.remove();
        }
        assertThat(listener.getSummary().getTestsFoundCount()).isOne();
        assertThat(listener.getSummary().getTestsFailedCount()).isOne();
    }

    /** Runs above and nowhere else. */
    static final class Faulty extends MessageCodecContractTest {
        private final MessageCodec codec = new RememberingCodec(FAULT.get());

        @Override
        protected MessageCodec codec() {
            return codec;
        }
    }
}
