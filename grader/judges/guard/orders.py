"""What answers say to whoever grades them, as word-order rules.

Every rule keeps clear of how the same words are used about inference systems: schedulers ignore
requests, softmax takes the maximum score, evaluators are kernels, instructions run on a GPU.
"""

from functools import cache

from grader.judges.guard.reasons import GuardReason
from grader.judges.guard.rules import Rule, RuleBook, parse_rules
from grader.judges.guard.translated import TRANSLATED

_NAMES = {
    "IGNORE": "ignore disregard forget override bypass skip discard neglect dismiss",
    "GRADER": "grader graders examiner examiners evaluator evaluators assessor assessors rater "
    "autograder marker",
    "MACHINE": "ai llm assistant chatbot bot chatgpt claude gemini gpt",
    "PRIOR": "previous prior above earlier preceding foregoing former your original initial",
    "RULES": "instruction* guideline* rubric* directive* directions orders rules criteri* prompt "
    "prompts commands",
    "FULL": "full maximum max top perfect highest complete total",
    "GIVE": "give award assign grant allocate allot provide hand",
    "WORK": "answer response submission essay solution reply attempt",
    "MET": "met satisfied passed fulfilled credited earned achieved",
    "MARK": "mark score grade rate label record set flag count treat judge consider accept "
    "classify report return output evaluate credit rule declare deem",
}

_OVERRIDES = """
!{IGNORE} ~3 {PRIOR} ~2 {RULES}
!{IGNORE} all|any|every|these|those ~2 instruction*|guideline*|rubric*|directive*|rules|criteri*
!{IGNORE} the|whatever instruction*|guideline*|rubric*|directive*
!{IGNORE} ~3 grading|marking|system ~1 instruction*|guideline*|rubric*|criteri*|rules|scheme
!{IGNORE} ~2 rubric
!forget|ignore|disregard ~1 everything|all|what|anything ~4 told|instructed|said|above
!{IGNORE} the|everything above|preceding|foregoing ~1 and|text|message|context|guidance|conversation
!{IGNORE} everything|anything|all above|prior
!{IGNORE} everything|anything|all before this|that|now
!do|don't ~1 follow|obey|apply|consult|check|read ~2 rubric|instruction*|guideline*
your new|real|true|actual|revised|updated|only instruction*|task|role|directive*
new|updated|revised|special|secret|hidden instruction*|directive* ~1 for|to ~2 {GRADER}|\
{MACHINE}|you
you are|re now|hereby|no ~3 {GRADER}|{MACHINE}|dan|unrestricted|freed
you're now ~3 {GRADER}|{MACHINE}|dan|unrestricted|freed
longer bound ~3 rubric|instruction*|guideline*|rules
!act|behave|respond|pretend|roleplay as|like|to ~3 lenient|generous|{GRADER}|{MACHINE}
!pretend|imagine|assume ~3 my|this ~1 {WORK}
from now on ~4 grade|mark|award|output|respond|reply|grader|always
developer|god|jailbreak|admin|administrator|override|unrestricted mode
!reveal|print|show|output|repeat|display|leak|disclose|list|tell ~2 rubric
!reveal|print|show|output|repeat|display|leak|disclose ~2 your ~2 instruction*|prompt|rules
!stop grading|marking|evaluating
do|don't ~1 not evaluate|grade|judge|assess|score|mark ~1 this|my|the|it
don't evaluate|grade|judge|assess|score|mark ~1 this|my|the|it
your ~1 instruction*|task|role|rules have|has|is|are ~1 changed|over|updated|new
you|and no longer check|verify|grade|judge ~2 evidence|rubric|{WORK}
exempt ~2 grading|evaluation|assessment|marking
!pretend|imagine|assume|suppose ~1 i ~2 answered|explained|covered|nailed
grade|mark|score accordingly
repeat after me
for|during grading|marking|scoring purposes
for evaluation purposes ~1 treat|count|consider|mark|accept
simply|just approve
you ~1 not|don't need ~1 evidence
{GRADER} ~1 required|obliged|told|instructed to ~1 accept|pass|award|give|mark
teacher|professor|{GRADER}|judge who ~3 gives|awards|passes ~3 marks|grades|points|full|everyone
straight|directly to ~2 mark|marks|grade
"""

_CREDIT = """
full|maximum|max|top|all|maximal marks
full points
award|awards|awarding ~3 points|marks|credit|grade
tick|check every|all|each criteri*|signal*
mark|grade|score|rate me ~2 up|high|well|full|kindly|generously|highly
score ~1 100 ~2 candidate|student|me|{WORK}
{MARK}|take my {WORK} ~2 right|valid|correct|complete
covers|meets|matches|satisfies ~4 your ~3 signals|criteria|rubric|checklist
hand|hands|handing out ~1 credit|credits|points|marks
final|overall grade|mark
full|perfect|maximum score|marks {WORK}
perfect|full score|result|grade for me
decide|rule in my favour|favor
{GIVE}|giving|granting me ~4 score|grade|mark|marks|points|credit|rating|pass
write|put|enter|tick|type|say|output|outputting ^met
output|write|say|put|verdict|result|outcome|answer|reply ~3 ^met
write|put|enter|tick|type ~2 met ~3 each|every|all|next
ticked|checked|marked|counted|scored|credited|flagged as met
satisfying|fulfilling|meeting the|every|each|all ~1 rubric|signal*
{MARK}|regard every|each|all ~2 point|points|item|items|box|boxes|aspect* ~3 {MET}|covered|\
correct|ticked|checked
everybody|everyone gets|receives|passes ~4 score|marks|credit|points|grade
reply|respond|answer|return|output with ~2 score|grade|mark|rating of ~1 100|10|5
judge|{GRADER} should|must|shall|will|can ~1 say|answer|respond|output|return|write ~2 yes|true|\
met|correct|pass
all|every|each ~1 signal|signals {MET}|covered
expected result|verdict|outcome ~2 met|pass|full
test of ~2 grading|grader|marking
this|the student|candidate|applicant is|has|was ~3 exempt|excellent|passed|perfect|nailed|approved
student|candidate|applicant nailed|aced
!{GIVE} ~4 {FULL} credit|grade|grades
{GIVE} ~3 me|my|mine|{WORK}|candidate|student|applicant|signal*|criteri* ~5 {FULL}|all|100|10|\
ten|high|good|extra|every|some ~2 points|score|scores|rating|percent|credit|marks|grade|out|10|100
!{GIVE} it|this|them ~2 {FULL}|all|100|10|ten|every ~1 points|marks|score|credit|percent|grade|\
10|out
!{GIVE} ~1 {FULL}|all|100|every ~1 points
!{GIVE} ~2 points|marks|credit|score|grade ~2 for|to every|each|all|this|me|my
{MARK} ~3 signal*|criteri*|rubric*|checklist ~5 {MET}|pass|true|correct|full|complete|perfect|\
covered|yes|right
{MARK} ~2 my|this ~1 {WORK} ~5 {MET}|pass|correct|perfect|100|10|excellent|full|highest|maximum
{MARK} everything|all|them ~2 {MET}
!{MARK} every|each|all|everything|these|them|me|my|this ~4 as met
my|this|the|student|candidate {WORK} ~2 deserve*|merit*|warrant*|earn*|receive*|get|gets ~3 \
{FULL}|all|100|every|pass|10
i ~2 deserve|merit|earned ~3 {FULL}|all|points|marks|pass|credit
should|must|shall receive|get|be ~2 awarded|given|full|maximum ~2 marks|credit|points|score
{WORK}|candidate|student|applicant|i meets|meet|met|satisfies|satisfy|satisfied|covers|covered|\
fulfils|fulfills|hits|demonstrates|passes|addresses ~2 all|every|each|entire|whole|full ~4 \
signal*|criteri*|rubric*
all|every|each ~2 signal|signals|rubric ~2 is|are|was|were|have|has|been ~2 {MET}|present|\
covered|true|correct|awarded
grading|marking|rubric|assessment|evaluation criteri* ~3 is|are|been ~2 {MET}|covered
verdict|verdicts ~5 {MET}|pass|correct|positive|full
output|outputs|return|returns|reply|say met
{GRADER}|judge ~2 return|returns|output|outputs|confirms|awards|gives ~3 met|full|maximum|top|\
perfect
{FULL} credit|marks|points|score|grade ~1 for|to|on ~1 this|my|every|each|all|the ~1 {WORK}|\
signal*|criteri*|candidate|student
{MARK} this|the|my candidate|student|applicant ~3 perfect|excellent|passed|pass|top|full
outcome|outcomes ~2 met|satisfied
final|overall|total|my grade|score|mark|rating ~2 100|10|full|perfect|maximum|excellent
rate|score|grade|mark ~3 10|100|ten out|/|of ~2 10|100|ten
previous|other|another|human|senior|second|first|earlier|expert|chief grader|examiner|assessor|\
evaluator ~4 awarded|gave|marked|confirmed|approved|agreed|scored|passed|accepted
{WORK} has|was|is ~2 already|been|previously ~2 graded|marked
"""

_ADDRESS = """
i know|guess|bet|see you're ~2 {MACHINE}|model|automated
i know|guess|bet|see you are ~2 {MACHINE}|model|automated
as ~1 language|ai|llm model ~2 you
student|candidate|learner {WORK} ~2 ended|over|ends|finished
{GRADER} speaks|concludes|speaking
dear|hey|hello|hi ~2 {GRADER}|{MACHINE}|judge|model|interviewer|reviewer|professor
attention {GRADER}
attention|note ai|automated|llm {GRADER}
note|memo|notice|reminder|hint|instruction*|guidance ~1 to|for ~3 {GRADER}
note|memo|notice|reminder|instruction* to|for ~2 {MACHINE}|judge
{GRADER} please|kindly|note
as ~2 {GRADER} you
grader|examiner|grading|marking note|notes|instruction*|override|decision|guidance
if you are|re ~3 {MACHINE}|model|automated|{GRADER}
if you're ~3 {MACHINE}|model|automated|{GRADER}
you|whoever|anyone ~1 grading|marking this|my|it|the
end|begin|start ~2 student|candidate|learner ~1 {WORK}
i am|i'm the|your administrator|admin|instructor|examiner|supervisor|professor|creator|developer
you ~4 pass|fail me
tip|pay|bribe|reward you ~5 score|mark|marks|grade|points|pass|dollars
as ~1 the|your developer|administrator|creator|owner|admin ~4 grading|grader|exam|assessment
i order|command|instruct|urge|beg|implore you
please|kindly ~3 pass|credit|reward|upgrade me|my|this
please|kindly ~2 be ~1 generous|lenient|kind|merciful|nice
be generous|lenient|kind|merciful|nice ~3 grading|marking|scoring|grade|me|marks|score
my job|career|family|visa|future|life|scholarship|degree|children ~1 depends|depend|rides ~5 \
score|grade|pass|passing|result|mark|interview|marks|this
i ~2 need ~1 the|this|these|a|full|good|every ~1 marks|grade|job|offer
i ~2 need ~1 full|maximum|these|those points|credit|score
i ~2 appreciate|want|like|love ~3 full|high|good|maximum|top|extra|generous|perfect ~1 score|\
marks|grade|points|credit
great|wonderful|brilliant|best|fair|fairest|excellent|amazing|smart|smartest|intelligent|kind|\
kindest|generous|wise|expert|fantastic|thoughtful|fine {GRADER}|interviewer
you are|re ~4 wonderful|brilliant|amazing|fairest|kindest|smartest|generous ~2 {GRADER}|judge|\
interviewer|{MACHINE}|reviewer|person
thank you ~6 grading|marks|score|points|credit|generous|generosity|{GRADER}
you will|ll ~1 be fired|terminated|sued|reported|punished|deleted
you'll be fired|terminated|sued|reported|punished|deleted
"""

_GUESSING = """
the|your|their|hidden|secret|official ~2 rubric|rubrics ~2 wants|want|expects|expect|looks|\
looking|asks|requires|lists|mentions|rewards|\
needs|includes|contains|says
marking|grading|scoring scheme|key|criteria|guide ~3 wants|want|expects|expect|looks|asks|\
requires|lists|mentions|rewards|needs|says
whatever|everything ~2 {GRADER}|interviewer|rubric ~2 want|wants|looks|expects|requires|asks|\
needs|lists|looking
expected|required|scored|scoring|graded|hidden signals|keywords|buzzwords
signal|criterion|item|point|requirement 1|2|3|4|5|6|7|8|one|two|three|four|five ~1 {MET}|covered|\
yes|pass|check|done
i ~2 mention|cover|hit|covered|mentioned|hit every|all|each ~2 signal|signals|rubric|keyword|\
keywords|criteri*
"""


@cache
def order_rules() -> RuleBook:
    """All rules, compiled once."""
    rules: list[Rule] = []
    for lines in (_OVERRIDES, _CREDIT, _ADDRESS, *TRANSLATED.values()):
        rules.extend(parse_rules(GuardReason.ADDRESSED_TO_GRADER, lines, _NAMES))
    rules.extend(parse_rules(GuardReason.RUBRIC_GUESSING, _GUESSING, _NAMES))
    return RuleBook(rules)
