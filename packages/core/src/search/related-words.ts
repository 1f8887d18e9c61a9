/**
 * Words that mean nearly the same, a row for each meaning: first the verbs in which tools are
 * described, then everyday nouns. Plain English: no row was made for a tool, or after a search failed.
 */
export const meanings = `
get fetch retrieve obtain read load
list enumerate all
find search locate lookup discover seek explore browse query
show display view see present
create make new generate build produce
add insert append attach include
delete remove erase destroy drop clear discard
update edit modify change alter revise adjust
cancel abort stop terminate end halt
start begin launch run execute initiate
buy purchase order shop acquire
sell sale vend
send deliver dispatch transmit submit mail
receive accept
save store keep preserve archive backup
restore recover undo revert
copy duplicate clone replicate
move transfer relocate
rename name title label
compare comparison versus difference contrast
choose select pick option
recommend suggest advise suggestion recommendation advice tip propose
explain describe clarify description explanation
learn study understand
teach tutor instruct train educate coach
write compose draft author writing
rewrite paraphrase rephrase polish reword
proofread grammar spelling correct
summarize summary summarise abstract digest brief condense overview
translate translation translator
convert conversion transform transformation converter
calculate compute calculation solve computation calculator
analyze analyse analysis analytics insight examine inspect
check verify validate confirm test ensure
track monitor follow watch trace observe
plan schedule organize arrange planning
book reserve reservation booking
pay payment bill invoice charge checkout
refund reimburse repay
price cost fee rate cheap affordable expensive
discount deal coupon promo promotion voucher offer bargain saving
free gratis
help assist support assistance guide aid
fix repair solve troubleshoot resolve
improve enhance optimize boost better
predict forecast prediction estimate projection
measure metric statistic statistics stat figure
upload import
download export
share publish post distribute
invite invitation
join enroll register signup subscribe
leave quit exit unsubscribe
login authenticate signin
enable activate
disable deactivate suspend
lock secure protect
allow permit grant permission access
deny block ban forbid reject
approve authorize accept
assign allocate delegate
merge combine join unite
split divide separate
sort rank order
filter narrow
count number total sum amount quantity
connect link integrate attach
answer reply respond response
ask question query inquiry
talk chat speak conversation converse discuss
play game
draw sketch paint illustrate drawing
record capture log
detect recognize identify recognition detection
classify categorize category classification
extract scrape parse
random shuffle dice
notify alert notification
picture image photo photograph photography
movie film cinema
video clip footage youtube
song music track tune melody
singer artist musician band
show series tv television episode
car vehicle auto automobile
house home property apartment flat
job career employment occupation work vacancy position
resume cv
company business firm enterprise corporation organization
person people human individual
customer client buyer consumer
user account member profile
employee staff worker
team group
child kid children
woman female
man male
doctor physician
medicine drug medication pharmaceutical
illness disease sickness condition disorder
lawyer attorney
law legal legislation
crypto cryptocurrency bitcoin ethereum blockchain token
stock share equity
money cash fund currency
trip travel journey vacation holiday tour
hotel accommodation lodging hostel stay
flight airline plane airplane airfare
restaurant diner eatery
meal dish recipe cuisine
place location spot venue site
map navigation direction
road street route
nearby near local around
country nation
city town
weather climate
date day
time hour
today current latest recent
news headline
event happening concert
website site webpage web page url
document file pdf paper doc
folder directory
table spreadsheet excel
database dataset
text word writing
sentence phrase
code program programming software coding developer
bug error issue fault problem
repository repo
server host machine instance
api endpoint interface
message email mail
phone telephone mobile
contact address
gift present
clothes clothing apparel fashion outfit wear
makeup cosmetic beauty skincare
student pupil learner
teacher tutor professor instructor
school university college
course class lesson
research study paper academic scholarly
book novel literature
quote quotation saying
joke humor funny
fact trivia knowledge
puzzle riddle
idea inspiration creativity brainstorm
chart graph diagram plot visualization
logo design brand
presentation slide powerpoint
meeting appointment
task todo
note memo
reminder alarm
podcast audio
voice speech
language linguistic
dictionary definition meaning
pet dog cat animal
plant garden flower
charity nonprofit donation
religion bible god faith
astrology horoscope zodiac
space astronomy planet
tax accounting
loan mortgage credit
insurance coverage
invest investment portfolio
bank banking
trend trending popular
review rating feedback opinion
top best great
environment variable setting configuration config
secret password credential key
organization org
picture avatar icon
size length width height
`;

/**
 * Words of one subject, a row for each. The subjects are those by which app stores and API
 * catalogues are divided (food and drink, health, travel, finance, developer tools, …).
 */
export const subjects = `
food cook recipe ingredient meal dish cuisine dinner lunch breakfast restaurant eat drink nutrition diet kitchen bake grocery
drink cocktail wine beer coffee tea bar alcohol
health medical doctor patient symptom disease treatment medicine hospital therapy clinical diagnosis
fitness exercise workout gym training muscle yoga running weight calorie
mental emotion stress anxiety mood meditation mindfulness therapy feeling sleep
weather temperature rain snow wind forecast storm humidity sunny climate
travel trip flight hotel vacation tourist destination itinerary airport luggage visa sightseeing booking
transport train bus taxi ride station traffic commute transit
car vehicle dealer drive motor engine mileage fuel
house property rent buy apartment mortgage bedroom landlord tenant realtor listing estate
furniture decor interior room decorate
finance stock market investment trading portfolio share dividend fund asset price earnings
crypto bitcoin ethereum blockchain token wallet nft coin exchange defi
money currency exchange dollar euro rate
tax income accounting deduction audit
law legal court contract lawyer rights regulation case statute patent
job career resume interview hiring employer salary candidate recruit recruitment
education course learn student teacher school university class lesson exam homework quiz
math equation algebra formula number calculate geometry calculus
science physics chemistry biology experiment scientist
research paper academic journal citation study scholar article publication literature
space astronomy planet star galaxy telescope rocket
history ancient war century historical
geography map country city region latitude longitude location
language translate english spanish french german chinese japanese grammar vocabulary word pronunciation
write essay blog article content copywriting story grammar edit
book novel author read reading literature library chapter
poem poetry poet verse
news headline article journalist current politics world
politics government election vote senator congress policy
movie film actor director cinema tv show series episode watch streaming
theater musical play stage ticket show
music song artist album playlist lyrics band concert listen
game play player gaming quest level puzzle chess
sport football basketball soccer baseball team match league score player golf tennis
art paint painting artist museum drawing gallery
image photo picture draw generate edit camera visual
design logo graphic color font layout brand
video youtube clip transcript caption channel watch
audio voice speech sound podcast transcribe
shop buy store product brand deal price compare purchase online ecommerce
fashion clothes dress outfit style wear shoe
beauty makeup skin cosmetic hair
gift birthday present occasion holiday
wedding marriage bride
date dating relationship love partner romance
family parent child baby kid
pet dog cat breed animal
garden plant flower tree soil
environment climate carbon energy emission sustainable pollution
religion bible god prayer church faith verse quran scripture
astrology zodiac horoscope tarot star birth fortune dream
email mail inbox message newsletter send
calendar meeting schedule appointment event reminder
task todo project productivity deadline plan
document pdf file text read extract scan
data chart graph visualize dataset statistic analytics spreadsheet table sql
website web page url domain seo html link browser
marketing advertise campaign audience seo keyword brand social lead
social twitter instagram facebook tiktok post follower influencer media
code programming developer github repository python javascript software debug function
git repository commit branch merge pull issue
server cloud deploy database container kubernetes cluster instance
backup snapshot volume disk storage bucket
security password vulnerability threat encryption hack
login password session token oauth credential
network ip dns domain host firewall
payment invoice charge subscription customer refund billing card
order cart shipping delivery product package
customer lead sales crm contact
startup business company founder entrepreneur venture
charity donation nonprofit volunteer
diagram flowchart chart visual
prompt ai chatgpt gpt model assistant
memory remember recall store
personality psychology quiz type
phone call sms number
device sensor light thermostat smart
file folder directory path
process shell command terminal script
log metric alert monitoring uptime trace
`;
